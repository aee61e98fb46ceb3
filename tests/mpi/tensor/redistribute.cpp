// Redistribution on real ranks against the dense result: every ordered pair of layouts, by the engine that all types share.
#include "ashlar/tensor/redistribute.hpp"
#include "support/all_layouts.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>
#include <string>

using namespace ashlar;
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
  explicit stored(integers const& values) : size_(values.size()), block_(detail::pool<Kokkos::HostSpace>::allocate(size_ * sizeof(std::int64_t))) {
    std::copy(values.begin(), values.end(), data());
  }
  std::int64_t* data() const { return static_cast<std::int64_t*>(block_->data); }
  integers values() const { return {data(), data() + size_}; }

 private:
  std::size_t size_;
  std::shared_ptr<detail::storage<Kokkos::HostSpace>> block_;
};

// A shard of these extents with its dimensions in another order, element by element.
integers in_order(detail::dimension_order const& order, shape const& extents, integers const& shard) {
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
// order, for layouts that no type stands for.
template <class M>
integers redistributed(device_mesh<M> const& m, redistribution_plan const& p, shape const& extents, integers const& source, traffic& moved,
                       detail::dimension_order order) {
  if (p.size == 0 || p[0].what == verb::all_reduce) order = {};
  stored shard(in_order(order, local_shape(extents, p.layout(0), m.sizes(), m.rank()), source));
  for (plan_step const s : p) {
    auto const n = local_shape(extents, s.to, m.sizes(), m.rank()).size();
    stored next(integers(static_cast<std::size_t>(n), 1'000'000));  // shows where nothing is written
    auto const before = m.counters().all_to_all.bytes;
    detail::run_step(Kokkos::DefaultHostExecutionSpace{}, s, detail::moves_of(s, extents, m.sizes(), m.rank(), std::exchange(order, {})),
                     m.communicator(s.axes), static_cast<std::int64_t const*>(shard.data()), next.data());
    moved.sent += static_cast<std::int64_t>((m.counters().all_to_all.bytes - before) / sizeof(std::int64_t));
    if (s.what == verb::permute || s.what == verb::all_to_all || s.what == verb::exchange) {
      auto const had = positions(extents, s.from, m.sizes(), m.rank()), needed = positions(extents, s.to, m.sizes(), m.rank());
      std::vector<index_t> lacked;
      std::set_difference(needed.begin(), needed.end(), had.begin(), had.end(), std::back_inserter(lacked));
      moved.lacked += static_cast<std::int64_t>(lacked.size());
    }
    shard = next;
  }
  return shard.values();
}

struct tally {
  int pairs = 0, cases = 0, wrong = 0;
  std::string first_wrong;
  traffic moved;
};

// Every pair of layouts of a rank in which some reductions may pend, and in which blocks of some sizes are dealt; with all
// extents, or with one of them in turn; from arrays whose dimensions may have another order.
template <class M>
tally check_pairs(device_mesh<M> const& m, int rank, std::vector<int> const& ops, bool all_extents, std::vector<int> const& blocks = {},
                  detail::dimension_order const& order = {}) {
  mesh_shape const& mesh = m.sizes();
  std::vector<layout_value> const layouts = with_dealt(all_layouts(rank, M::axes, ops, 2), blocks);
  std::vector<shape> const extents = extents_to_try(rank);
  tally all;
  auto check = [&](layout_value const& from, integers const& source, integers const& expected, layout_value const& to, shape const& e) {
    integers const result = redistributed(m, plan(from, to), e, source, all.moved, order);
    bool right = true;
    if (to.levels == 0) {
      right = result == shard_of<std::int64_t>(e, to, mesh, m.rank(), [&](index_t g, int) { return expected[static_cast<std::size_t>(g)]; });
    } else {  // the ranks take turns in judging
      auto const shards = all_shards(result, all.cases % m.size());
      right = shards.empty() || denote(e, to, mesh, shards) == expected;
    }
    ++all.cases;
    if (right || all.wrong++) return;
    detail::message where;
    where << name(from).c_str() << " to " << name(to).c_str() << " of " << e << " on " << mesh.size[0] << " x " << mesh.ranks() / mesh.size[0];
    all.first_wrong = where.text;
  };
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    for (std::size_t k = all_extents ? 0 : (i + static_cast<std::size_t>(mesh.size[0])) % extents.size(); k < extents.size(); k = all_extents ? k + 1 : extents.size()) {
      shape const& e = extents[k];
      integers const source = shard_of<std::int64_t>(e, layouts[i], mesh, m.rank(), small_number);
      integers const expected = denoted<std::int64_t>(e, layouts[i], mesh, small_number);
      for (layout_value const& to : layouts)
        if (ops.empty() || layouts[i].levels || to.levels) check(layouts[i], source, expected, to, e);
    }
    all.pairs += static_cast<int>(layouts.size());
  }
  MPI_Allreduce(MPI_IN_PLACE, &all.moved, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  CHECK(all.moved.sent == all.moved.lacked);  // nothing travels twice, or to who has it
  return all;
}

using line = mesh<axis<"x">>;
using grid = mesh<axis<"x">, axis<"y">>;

void check_all_pairs_that_pend_nothing(int most_dimensions) {
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
      auto const all = check_pairs(m, rank, {}, true);
      CHECK(all.pairs == on_grid[rank - 1]);
      CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
    }
  });
}

}  // namespace

TEST_CASE("redistribute: all pairs of layouts that pend nothing, for all extents") { check_all_pairs_that_pend_nothing(3); }

TEST_CASE("redistribute: the same where operands are read in place") {
  operands_in_place const scope;
  check_all_pairs_that_pend_nothing(3);
}

TEST_CASE("redistribute: the same by messages of MPI") {
  messages_of_mpi const scope;
  check_all_pairs_that_pend_nothing(3);
}

TEST_CASE("redistribute: the same by MPI's collectives") {
  collectives_of_mpi const scope;
  check_all_pairs_that_pend_nothing(2);
}

namespace {

void check_all_pairs_that_pend() {
  std::vector<int> const all_ops{op_sum, op_max, op_min, op_prod};
  device_mesh<line> const row(MPI_COMM_WORLD, {world_size()});
  for (int rank : {1, 2, 3}) {
    auto const all = check_pairs(row, rank, all_ops, true);
    CHECK(all.pairs == (rank + 5) * (rank + 5));
    CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
  }
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    for (int rank : {1, 2, 3}) {
      auto const all = check_pairs(m, rank, all_ops, false);
      int const layouts = (rank + 5) * (rank + 5) + rank + 12;  // in either order where both split a dimension or pend
      CHECK(all.pairs == layouts * layouts);
      CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
    }
  });
}

}  // namespace

TEST_CASE("redistribute: all pairs of layouts in which reductions pend") { check_all_pairs_that_pend(); }

TEST_CASE("redistribute: the same where operands are read in place, with reductions") {
  operands_in_place const scope;
  check_all_pairs_that_pend();
}

TEST_CASE("redistribute: the same by messages of MPI, with reductions") {
  messages_of_mpi const scope;
  check_all_pairs_that_pend();
}

TEST_CASE("redistribute: pending reductions by MPI's collectives") {
  collectives_of_mpi const scope;
  for_each_factorisation([&](auto const& sizes) {
    auto const all = check_pairs(device_mesh<grid>(MPI_COMM_WORLD, sizes), 2, {op_sum}, false);
    CHECK(all.pairs > 0);
    CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
  });
}

namespace {

void check_dealt_pairs() {
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
      auto const pending = check_pairs(m, rank, {op_sum}, false, {2});
      CHECK_MESSAGE(pending.wrong == 0, pending.first_wrong);
    }
  });
}

}  // namespace

TEST_CASE("redistribute: pairs of layouts in which blocks are dealt") { check_dealt_pairs(); }

TEST_CASE("redistribute: the same where operands are read in place, with blocks that are dealt") {
  operands_in_place const scope;
  check_dealt_pairs();
}

TEST_CASE("redistribute: the same by messages of MPI, with blocks that are dealt") {
  messages_of_mpi const scope;
  check_dealt_pairs();
}

namespace {

void check_transposed_pairs() {
  device_mesh<line> const row(MPI_COMM_WORLD, {world_size()});
  auto const matrices = check_pairs(row, 2, {op_sum}, true, {2}, {{1, 0}});
  CHECK_MESSAGE(matrices.wrong == 0, matrices.first_wrong);
  for (detail::dimension_order const& order : {detail::dimension_order{{2, 0, 1}}, {{2, 1, 0}}, {{0, 2, 1}}}) {
    auto const all = check_pairs(row, 3, {}, true, {}, order);
    CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
  }
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const all = check_pairs(m, 2, {op_sum}, false, {}, {{1, 0}});
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
