// Redistribution on real ranks against the dense result: every ordered pair of layouts, by the engine that all types share.
#include "ashlar/tensor/redistribute.hpp"
#include "support/dense.hpp"
#include "support/simulated_mesh.hpp"
#include <doctest/doctest.h>
#include <array>
#include <string>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using integers = std::vector<std::int64_t>;

// What redistribute<To> does with this rank's shard, for layouts that no type stands for.
template <class M>
integers redistributed(device_mesh<M> const& m, redistribution_plan const& p, shape const& extents, integers shard) {
  for (plan_step const s : p) {
    auto const n = local_shape(extents, s.to, m.sizes(), m.rank()).size();
    integers next(static_cast<std::size_t>(n), 1'000'000);  // shows where nothing is written
    detail::run_step(Kokkos::DefaultHostExecutionSpace{}, s, extents, m, static_cast<std::int64_t const*>(shard.data()), next.data());
    shard = next;
  }
  return shard;
}

std::string words(layout_value const& v) {
  std::string s = "(";
  for (int d = 0; d < v.rank; ++d) {
    s += d ? ", " : "";
    for (int i = 0; i < v.dim[d].size; ++i) s += static_cast<char>('a' + v.dim[d][i]);
  }
  s += ")";
  for (int l = 0; l < v.levels; ++l) s += " op " + std::to_string(v.pending[l].op) + " over " + std::to_string(v.pending[l].axes);
  return s;
}

struct tally {
  int pairs = 0, cases = 0, wrong = 0;
  std::string first_wrong;
};

// Every pair of layouts of a rank in which the reductions of a mask may pend; with all extents, or with one of them in turn.
template <class M>
tally check_pairs(device_mesh<M> const& m, int rank, unsigned ops, bool all_extents) {
  mesh_shape const& mesh = m.sizes();
  std::vector<layout_value> layouts;
  for_each_layout(rank, M::axes, ops, [&](layout_value const& v) { layouts.push_back(v); });
  std::vector<shape> const extents = extents_to_try(rank);
  tally all;
  auto check = [&](layout_value const& from, integers const& source, integers const& expected, layout_value const& to, shape const& e) {
    integers const result = redistributed(m, plan(from, to), e, source);
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
    where << words(from).c_str() << " to " << words(to).c_str() << " of " << e << " on " << mesh.size[0] << " x " << mesh.ranks() / mesh.size[0];
    all.first_wrong = where.text;
  };
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    for (std::size_t k = all_extents ? 0 : (i + static_cast<std::size_t>(mesh.size[0])) % extents.size(); k < extents.size(); k = all_extents ? k + 1 : extents.size()) {
      shape const& e = extents[k];
      integers const source = shard_of<std::int64_t>(e, layouts[i], mesh, m.rank(), small_number);
      integers const expected = denoted<std::int64_t>(e, layouts[i], mesh, small_number);
      for (layout_value const& to : layouts)
        if (!ops || layouts[i].levels || to.levels) check(layouts[i], source, expected, to, e);
    }
    all.pairs += static_cast<int>(layouts.size());
  }
  return all;
}

using line = mesh<axis<"x">>;
using grid = mesh<axis<"x">, axis<"y">>;

void check_all_pairs_that_pend_nothing(int most_dimensions) {
  device_mesh<line> const row(MPI_COMM_WORLD, {world_size()});
  constexpr int on_line[]{4, 9, 16}, on_grid[]{25, 121, 361};
  for (int rank = 1; rank <= most_dimensions; ++rank) {
    auto const all = check_pairs(row, rank, 0, true);
    CHECK(all.pairs == on_line[rank - 1]);
    CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
  }
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    for (int rank = 1; rank <= most_dimensions; ++rank) {
      auto const all = check_pairs(m, rank, 0, true);
      CHECK(all.pairs == on_grid[rank - 1]);
      CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
    }
  });
}

}  // namespace

TEST_CASE("redistribute: all pairs of layouts that pend nothing, for all extents") { check_all_pairs_that_pend_nothing(3); }

TEST_CASE("redistribute: the same by MPI's collectives") {
  collectives_of_mpi const scope;
  check_all_pairs_that_pend_nothing(2);
}

TEST_CASE("redistribute: all pairs of layouts in which reductions pend") {
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

TEST_CASE("redistribute: pending reductions by MPI's collectives") {
  collectives_of_mpi const scope;
  for_each_factorisation([&](auto const& sizes) {
    auto const all = check_pairs(device_mesh<grid>(MPI_COMM_WORLD, sizes), 2, sums, false);
    CHECK(all.pairs > 0);
    CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
  });
}

namespace {

// Layouts of two dimensions in which sums may pend, in the order of for_each_layout.
constexpr int typed_layouts = 18;
constexpr auto codes = [] {
  std::array<unsigned long long, typed_layouts> all{};
  std::size_t n = 0;
  for_each_layout(2, 2, sums, [&](layout_value const& v) { all[n++] = pack(v); });
  return all;
}();
template <int I>
using layout_at = layout_from_t<mesh_context<grid, layout<>>, codes[static_cast<std::size_t>(I)], 2>;

template <int From, int To>
void check_typed(device_mesh<grid> const& m, shape const& e) {
  auto const x = tensor_of<std::int64_t, layout_at<From>>(m, e, small_number);
  auto const y = redistribute<layout_at<To>>(x);
  static_assert(std::is_same_v<layout_t<decltype(y)>, layout_at<To>>);
  CAPTURE(words(x.layout));
  CAPTURE(words(y.layout));
  CHECK(y.extents() == e);
  CHECK(denotes(y, denoted<std::int64_t>(e, x.layout, m.sizes(), small_number)));
}

}  // namespace

TEST_CASE("redistribute: types, each layout into three others") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    [&]<int... I>(std::integer_sequence<int, I...>) {
      for (shape const& e : {shape::of(world_size(), 13), shape::of(5, 1)})
        (..., (check_typed<I, (I + 5) % typed_layouts>(m, e), check_typed<I, (I + 11) % typed_layouts>(m, e),
               check_typed<I, (3 * I + 1) % typed_layouts>(m, e)));
    }(std::make_integer_sequence<int, typed_layouts>{});
  });
}

TEST_CASE("redistribute: to the layout that a tensor has is free, and shares the shard") {
  device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
  auto const x = tensor_of<float, layout<"x">>(m, shape::of(13), small_number);
  CHECK(redistribute<layout<"x">>(x).data() == x.data());
  CHECK(m.verbs() == 0);
}

TEST_CASE_TEMPLATE("redistribute: every element type", T, float, double, std::int32_t, std::int64_t, std::complex<float>,
                   std::complex<double>) {
  using stored = typename detail::storable<T>::type;
  device_mesh<line> const m(MPI_COMM_WORLD, {world_size()});
  for (shape const& e : {shape::of(7, 5), shape::of(world_size(), 2 * world_size()), shape::of(0, 3)}) {
    auto const expected = denoted<stored>(e, layout_value{2, {}, 0, {}}, m.sizes(), small_number);
    auto const rows = tensor_of<T, layout<"x", none>>(m, e, small_number);
    static_assert(std::is_same_v<element_t<decltype(rows)>, stored>);
    auto const columns = redistribute<layout<none, "x">>(rows);
    CHECK(denotes(columns, expected));
    CHECK(denotes(redistribute<layout<none, none>>(columns), expected));
    auto const padded = redistribute<partial<layout<none, none>, "x">>(rows);
    CHECK(denotes(padded, expected));
    CHECK(denotes(redistribute<layout<none, "x">>(padded), expected));

    auto const products = tensor_of<T, partial<layout<none, none>, "x", op::prod>>(m, e, small_number);
    CHECK(denotes(redistribute<layout<"x", none>>(products), denoted<stored>(e, products.layout, m.sizes(), small_number)));
    auto const summands = tensor_of<T, partial<layout<none, none>, "x">>(m, e, small_number);
    CHECK(denotes(redistribute<layout<none, none>>(summands), denoted<stored>(e, summands.layout, m.sizes(), small_number)));
  }
}
