// labels: sanitizers
// Redistribution on real ranks against the dense result: every ordered pair of layouts, by the engine that all types share.
#include "ashlar/tensor/memory_use.hpp"
#include "ashlar/tensor/backend.hpp"
#include "support/all_layouts.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>
#include <numeric>
#include <optional>
#include <random>
#include <string>

using namespace ashlar;
using namespace ashlar::planning;
using namespace ashlar::test;

namespace {

using integers = std::vector<std::int64_t>;

// Elements that exchanges move, over all cases: those that ranks lack, and those that were sent.
struct traffic {
  std::int64_t lacked = 0, sent = 0;
};

// A shard in the memory of tensors.
class stored {
 public:
  explicit stored(integers const& values)
      : size_(values.size()), block_(tensor_detail::pool<Kokkos::HostSpace>::allocate(size_ * sizeof(std::int64_t))) {
    std::copy(values.begin(), values.end(), data());
  }
  std::int64_t* data() const { return static_cast<std::int64_t*>(block_->data); }
  integers values() const { return {data(), data() + size_}; }

 private:
  std::size_t size_;
  std::shared_ptr<tensor_detail::storage<Kokkos::HostSpace>> block_;
};

// A shard of these extents with its dimensions in another order, element by element.
integers in_order(tensor_detail::dimension_order const& order, shape const& extents, integers const& shard) {
  shape stored = extents;
  for (int d = 0; d < extents.rank; ++d) stored[order.of[d]] = extents[d];
  integers array(shard.size());
  for (index_t i = 0; i < extents.size(); ++i) {
    index_t at = 0;
    for (int d = 0; d < extents.rank; ++d) at += i / extents.stride(d) % extents[d] * stored.stride(order.of[d]);
    array[static_cast<std::size_t>(at)] = shard[static_cast<std::size_t>(i)];
  }
  return array;
}

// What redistribute<To> does with this rank's shard, and transpose<To, Order...> with the array that holds it in another
// order, for layouts that no type stands for. `most` gets the bytes in use at one time.
template <class M>
integers redistributed(device_mesh<M> const& m, planning::redistribution_plan const& p, shape const& extents,
                       integers const& source, traffic& moved, tensor_detail::dimension_order order, index_t& most) {
  if (p.size == 0 || p[0].what == collective::all_reduce) order = {};
  auto const in_use = memory_in_use<Kokkos::HostSpace>().bytes;
  stored const whole_time(in_order(order, local_shape(extents, p.layout(0), m.sizes(), m.rank()), source));
  stored shard = whole_time;
  reset_peak_memory<Kokkos::HostSpace>();
  for (planning::plan_step const s : p) {
    if (m.communicator(s.axes).size() == 1 && order == tensor_detail::dimension_order() &&
        layout_detail::same_placement(extents, s.from, s.to, m.sizes()))
      continue;
    auto const n = local_shape(extents, s.to, m.sizes(), m.rank()).size();
    stored next(integers(static_cast<std::size_t>(n), 1'000'000));  // shows where nothing is written
    auto const before = m.counters().all_to_all.bytes;
    auto const transfers = tensor_detail::transfers_of(s, extents, m.sizes(), m.rank(), std::exchange(order, {}));
    std::optional<tensor_detail::collective_scope> scope;
    if (m.communicator(s.axes).size() > 1 && plan_detail::communicates(s.what))
      scope.emplace(m, s, transfers.fingerprint, 0, call_site::current());
    tensor_detail::with_type_of<layout_detail::builtin_ops, std::int64_t>(s, [&]<class S>(S) {
      tensor_detail::run_step<S>(Kokkos::DefaultHostExecutionSpace{}, transfers, m.communicator(s.axes),
                                 static_cast<std::int64_t const*>(shard.data()), next.data());
    });
    scope.reset();
    moved.sent += static_cast<std::int64_t>((m.counters().all_to_all.bytes - before) / sizeof(std::int64_t));
    if (s.what == collective::permute || s.what == collective::all_to_all || s.what == collective::exchange) {
      auto const had = positions(extents, s.from, m.sizes(), m.rank()),
                 needed = positions(extents, s.to, m.sizes(), m.rank());
      std::vector<index_t> lacked;
      std::set_difference(needed.begin(), needed.end(), had.begin(), had.end(), std::back_inserter(lacked));
      moved.lacked += static_cast<std::int64_t>(lacked.size());
    }
    shard = next;
  }
  most = static_cast<index_t>(memory_in_use<Kokkos::HostSpace>().peak - in_use);
  return shard.values();
}

struct tally {
  int pairs = 0, cases = 0, wrong = 0;
  std::string first_wrong;
  traffic moved;
  // Of each case: bytes in use at one time, of the rank that holds most, and what the plan says.
  std::vector<index_t> held, stated;
  struct one {
    layout_value const &from, &to;
    shape const& extents;
  };
  std::vector<one> tried;
};

std::string text_of(layout_value const& from, layout_value const& to, shape const& e, mesh_shape const& mesh) {
  plan_detail::error_text where;
  where << name(from).c_str() << " to " << name(to).c_str() << " of " << e << " on " << mesh.size[0] << " x "
        << mesh.ranks() / mesh.size[0];
  return where.text;
}

// Ranks hold no more than the plans say. By collectives of MPI's own they hold exactly that. Exchanges pack no block that
// is contiguous or that a type describes, and ranks of a node read each other's shards.
void check_memory(tally& all, mesh_shape const& mesh) {
  for (auto* bytes : {&all.held, &all.stated})
    MPI_Allreduce(MPI_IN_PLACE, bytes->data(), static_cast<int>(bytes->size()), MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  std::string first_wrong;
  bool const may_hold_less = comm::tuned.shared_memory || comm::tuned.forced != comm::algorithm::mpi;
  for (std::size_t k = 0; k < all.held.size() && first_wrong.empty(); ++k)
    if (may_hold_less ? all.held[k] > all.stated[k] : all.held[k] != all.stated[k])
      first_wrong = text_of(all.tried[k].from, all.tried[k].to, all.tried[k].extents, mesh) + ": " +
                    std::to_string(all.held[k]) + " bytes, not " + std::to_string(all.stated[k]);
  CHECK_MESSAGE(first_wrong.empty(), first_wrong);
}

// Shards of one tensor in layouts of which some are partial: what they denote takes the shards of all ranks.
struct unjudged {
  std::vector<layout_value> layouts;
  integers shards;  // one behind the other
};

void count_case(tally& all, bool right, layout_value const& from, layout_value const& to, shape const& e,
                mesh_shape const& mesh) {
  if (!right && all.wrong++ == 0) all.first_wrong = text_of(from, to, e, mesh);
}

// A tensor of one layout, which denotes `expected`, brought into another.
template <class M>
void check_pair(device_mesh<M> const& m, tally& all, layout_value const& from, integers const& source,
                integers const& expected, layout_value const& to, shape const& e,
                tensor_detail::dimension_order const& order, unjudged& rest) {
  mesh_shape const& mesh = m.sizes();
  // Every other pair as redistribute plans it, by which all axes may help, and as collectives do that name their axes.
  planning::redistribution_plan const p =
      plan(from, to, all.cases / m.size() % 2 == 0 ? layout_detail::mask_of(M::axes) - 1u : 0u);
  all.held.emplace_back();
  bool const asks = order == tensor_detail::dimension_order() && all.cases % m.size() == m.rank();  // in turn
  all.tried.push_back({from, to, e});
  all.stated.push_back(asks ? p.peak_bytes(e, mesh, sizeof(std::int64_t)) : 0);
  integers const result = redistributed(m, p, e, source, all.moved, order, all.held.back());
  ++all.cases;
  if (to.levels == 0) {
    count_case(all,
               result == shard_of<std::int64_t>(e, to, mesh, m.rank(),
                                                [&](index_t g, int) { return expected[static_cast<std::size_t>(g)]; }),
               from, to, e, mesh);
  } else {
    rest.layouts.push_back(to);
    rest.shards.insert(rest.shards.end(), result.begin(), result.end());
  }
}

// The ranks take turns in judging what `from` was brought into.
template <class M>
void judge(device_mesh<M> const& m, tally& all, layout_value const& from, integers const& expected, shape const& e,
           unjudged const& rest) {
  if (rest.layouts.empty()) return;
  auto const shards = all_shards(rest.shards, all.cases % m.size());
  if (shards.empty()) return;
  std::vector<integers::const_iterator> next;
  for (integers const& of_rank : shards) next.push_back(of_rank.begin());
  for (layout_value const& to : rest.layouts) {
    std::vector<integers> of_layout;
    for (int q = 0; q < m.size(); ++q) {
      auto& at = next[static_cast<std::size_t>(q)];
      auto const n = local_shape(e, to, m.sizes(), q).size();
      of_layout.emplace_back(at, at + n);
      at += n;
    }
    count_case(all, denote(e, to, m.sizes(), of_layout) == expected, from, to, e, m.sizes());
  }
}

// Statements about all pairs.
void finish(tally& all, mesh_shape const& mesh, tensor_detail::dimension_order const& order) {
  MPI_Allreduce(MPI_IN_PLACE, &all.moved, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  CHECK(all.moved.sent == all.moved.lacked);  // nothing travels twice, or to who has it
  if (order == tensor_detail::dimension_order()) check_memory(all, mesh);
}

// Address sanitizers take 8 times as long: each layout has one of the extents there, and tensors are partial in two ways.
#ifdef ASHLAR_ADDRESS_SANITIZER
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// Every pair of layouts of a rank that may be partial, and in which blocks of some sizes are block-cyclic; with all
// extents, or with one of them in turn; from arrays whose dimensions may have another order.
template <class M>
tally check_pairs(device_mesh<M> const& m, int rank, std::vector<int> const& ops, bool all_extents,
                  std::vector<int> const& blocks = {}, tensor_detail::dimension_order const& order = {}) {
  all_extents = all_extents && !sanitized;
  mesh_shape const& mesh = m.sizes();
  std::vector<layout_value> const layouts = with_cyclic(all_layouts(rank, M::axes, ops, 2), blocks);
  std::vector<shape> const extents = extents_to_try(rank);
  tally all;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    for (std::size_t k = all_extents ? 0 : (i + static_cast<std::size_t>(mesh.size[0])) % extents.size();
         k < extents.size(); k = all_extents ? k + 1 : extents.size()) {
      shape const& e = extents[k];
      integers const source = shard_of<std::int64_t>(e, layouts[i], mesh, m.rank(), small_number);
      integers const expected = denoted<std::int64_t>(e, layouts[i], mesh, small_number);
      unjudged rest;
      for (layout_value const& to : layouts)
        if (ops.empty() || layouts[i].levels || to.levels)
          check_pair(m, all, layouts[i], source, expected, to, e, order, rest);
      judge(m, all, layouts[i], expected, e, rest);
    }
    all.pairs += static_cast<int>(layouts.size());
  }
  finish(all, mesh, order);
  return all;
}

using line = mesh<axis<"x">>;
using grid = mesh<axis<"x">, axis<"y">>;

// At each change layouts of three dimensions have one of the extents in turn, and tensors are partial in two ways.
#ifdef ASHLAR_LONG_TESTS
constexpr bool every_extent = true;
#else
constexpr bool every_extent = false;
#endif

void check_all_pairs_not_partial(int most_dimensions, bool all_extents = true) {
  device_mesh<line> const row(MPI_COMM_WORLD, {world_size()});
  constexpr int on_line[]{4, 9, 16}, on_grid[]{25, 121, 361};
  for (int rank = 1; rank <= most_dimensions; ++rank) {
    auto const all = check_pairs(row, rank, {}, true);
    CHECK(all.pairs == on_line[rank - 1]);
    CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
  }
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    for (int rank = 1; rank <= most_dimensions; ++rank) {
      auto const all = check_pairs(m, rank, {}, all_extents || rank < most_dimensions);
      CHECK(all.pairs == on_grid[rank - 1]);
      CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
    }
  });
}

}  // namespace

TEST_CASE("redistribute: all pairs of layouts that are not partial, for all extents") {
  check_all_pairs_not_partial(3, every_extent);
}

TEST_CASE("redistribute: the same where operands are read in place") {
  operands_in_place const scope;
  check_all_pairs_not_partial(3, every_extent);
}

TEST_CASE("redistribute: the same by messages of MPI") {
  messages_of_mpi const scope;
  check_all_pairs_not_partial(3, every_extent);
}

TEST_CASE("redistribute: the same by derived datatypes") {
  messages_by_types const scope;
  check_all_pairs_not_partial(3, every_extent);
}

TEST_CASE("redistribute: the same by MPI's collectives") {
  collectives_of_mpi const scope;
  check_all_pairs_not_partial(2);
}

namespace {

void check_all_partial_pairs(std::vector<int> ops) {
  if (sanitized || !every_extent) ops.resize(2);
  int const kinds = static_cast<int>(ops.size());
  device_mesh<line> const row(MPI_COMM_WORLD, {world_size()});
  for (int rank : {1, 2, 3}) {
    auto const all = check_pairs(row, rank, ops, true);
    CHECK(all.pairs == (rank + 1 + kinds) * (rank + 1 + kinds));
    CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
  }
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    for (int rank : {1, 2, 3}) {
      auto const all = check_pairs(m, rank, ops, false);
      int const layouts = (rank + 1 + kinds) * (rank + 1 + kinds) + rank +
                          kinds * (kinds - 1);  // in either order where both split a dimension or are partial
      CHECK(all.pairs == layouts * layouts);
      CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
    }
  });
}

}  // namespace

TEST_CASE("redistribute: all pairs of layouts in which tensors are partial") {
  check_all_partial_pairs(
      {layout_detail::op_sum, layout_detail::op_max, layout_detail::op_min, layout_detail::op_prod});
}

TEST_CASE("redistribute: the same where operands are read in place, with reductions") {
  operands_in_place const scope;
  check_all_partial_pairs({layout_detail::op_sum, layout_detail::op_max});
}

TEST_CASE("redistribute: the same by messages of MPI, with reductions") {
  messages_of_mpi const scope;
  check_all_partial_pairs({layout_detail::op_sum, layout_detail::op_max});
}

TEST_CASE("redistribute: partial reductions by MPI's collectives") {
  collectives_of_mpi const scope;
  for_each_factorisation([&](auto const& sizes) {
    auto const all = check_pairs(device_mesh<grid>(MPI_COMM_WORLD, sizes), 2, {layout_detail::op_sum}, false);
    CHECK(all.pairs > 0);
    CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
  });
}

namespace {

void check_cyclic_pairs() {
  device_mesh<line> const row(MPI_COMM_WORLD, {world_size()});
  for (int rank : {1, 2}) {
    auto const all = check_pairs(row, rank, {}, true, {1, 3});
    CHECK(all.pairs == (rank == 1 ? 16 : 49));
    CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
  }
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    for (int rank : {1, 2}) {
      auto const all = check_pairs(m, rank, {}, false, {2});
      CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
      auto const partial_pairs = check_pairs(m, rank, {layout_detail::op_sum}, false, {2});
      CHECK_MESSAGE(partial_pairs.wrong == 0, partial_pairs.first_wrong);
    }
  });
}

}  // namespace

TEST_CASE("redistribute: pairs of layouts in which a dimension is block-cyclic") { check_cyclic_pairs(); }

TEST_CASE("redistribute: the same where operands are read in place, with block-cyclic dimensions") {
  operands_in_place const scope;
  check_cyclic_pairs();
}

TEST_CASE("redistribute: the same by derived datatypes, with block-cyclic dimensions") {
  messages_by_types const scope;
  check_cyclic_pairs();
}

TEST_CASE("redistribute: the same by messages of MPI, with block-cyclic dimensions") {
  messages_of_mpi const scope;
  check_cyclic_pairs();
}

namespace {

void check_transposed_pairs() {
  device_mesh<line> const row(MPI_COMM_WORLD, {world_size()});
  auto const matrices = check_pairs(row, 2, {layout_detail::op_sum}, true, {2}, {{1, 0}});
  CHECK_MESSAGE(matrices.wrong == 0, matrices.first_wrong);
  for (tensor_detail::dimension_order const& order :
       {tensor_detail::dimension_order{{2, 0, 1}}, {{2, 1, 0}}, {{0, 2, 1}}}) {
    auto const all = check_pairs(row, 3, {}, true, {}, order);
    CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
  }
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const all = check_pairs(m, 2, {layout_detail::op_sum}, false, {}, {{1, 0}});
    CHECK(all.pairs > 0);
    CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
  });
}

}  // namespace

TEST_CASE("transpose: pairs of layouts, with the first step") { check_transposed_pairs(); }

TEST_CASE("transpose: the same where operands are read in place") {
  operands_in_place const scope;
  check_transposed_pairs();
}

TEST_CASE("transpose: the same by messages of MPI") {
  messages_of_mpi const scope;
  check_transposed_pairs();
}

namespace {

// A layout over these axes: each shards a dimension, after or before others, is partial or does neither; blocks may be block-cyclic.
layout_value random_layout(std::mt19937& random, int rank, int axes) {
  auto const below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<int> order(static_cast<std::size_t>(axes));
  std::iota(order.begin(), order.end(), 0);
  for (int i = axes - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(below(i + 1))]);
  layout_value v;
  v.rank = rank;
  for (int a : order) {
    int const place = below(rank + 2);
    if (place < rank) v.dim[place].push(a);
    if (place == rank)
      v.add_partial(below(2) ? layout_detail::op_sum : layout_detail::op_max, layout_detail::mask_of(a));
  }
  for (int d = 0; d < rank; ++d)
    if (v.dim[d].size != 0 && below(4) == 0) {
      v.dim[d].cyclic = static_cast<signed char>(1 + below(v.dim[d].size));
      v.dim[d].block = static_cast<unsigned short>(1 + below(3));
    }
  return v;
}

// Four axes, as long as the number of ranks has factors.
using box = mesh<axis<"x">, axis<"y">, axis<"z">, axis<"w">>;
std::vector<int> box_sizes() {
  std::vector<int> sizes{1, 1, 1, 1};
  std::size_t a = 0;
  for (int n = world_size(), factor = 2; n > 1;) {
    if (n % factor == 0)
      sizes[a++ % 4] *= factor, n /= factor;
    else
      ++factor;
  }
  return sizes;
}

void check_drawn_pairs(int pairs) {
  std::mt19937 random(7);
  device_mesh<box> const m(MPI_COMM_WORLD, std::span<int const>(box_sizes()));
  for (int rank : {3, 4, 5, 6}) {
    std::vector<layout_value> layouts;
    std::vector<shape> extents(static_cast<std::size_t>(pairs));
    for (int k = 0; k < 2 * pairs; ++k) layouts.push_back(random_layout(random, rank, box::axes));
    tally all;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      shape& e = extents[k];
      for (e.rank = 0; e.rank < rank; ++e.rank)
        e[e.rank] = static_cast<index_t>(random() % 16 == 0 ? 0 : 1 + random() % (rank < 5 ? 7 : 4));
      layout_value const& from = layouts[2 * k];
      integers const source = shard_of<std::int64_t>(e, from, m.sizes(), m.rank(), small_number);
      integers const expected = denoted<std::int64_t>(e, from, m.sizes(), small_number);
      unjudged rest;
      check_pair(m, all, from, source, expected, layouts[2 * k + 1], e, {}, rest);
      judge(m, all, from, expected, e, rest);
    }
    finish(all, m.sizes(), {});
    CHECK(all.cases == pairs);
    CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
  }
}

}  // namespace

TEST_CASE("redistribute: pairs drawn from all layouts of rank 3 to 6 on four axes") { check_drawn_pairs(150); }

TEST_CASE("redistribute: the same by messages of MPI, with pairs that are drawn") {
  messages_of_mpi const scope;
  check_drawn_pairs(150);
}
