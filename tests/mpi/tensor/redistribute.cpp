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
  for (step const s : p) {
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

struct pairs {
  int number = 0, cases = 0, wrong = 0;
  std::string first_wrong;
};

template <class M>
void check(pairs& all, device_mesh<M> const& m, layout_value const& from, layout_value const& to, redistribution_plan const& p,
           shape const& extents) {
  mesh_shape const& mesh = m.sizes();
  integers const source = shard_of<std::int64_t>(extents, from, mesh, m.rank(), small_number);
  integers const result = redistributed(m, p, extents, source);
  bool right = false;
  if (from.levels == 0 && to.levels == 0) {
    right = result == shard_of<std::int64_t>(extents, to, mesh, m.rank(), small_number);
  } else {
    integers const expected = denoted<std::int64_t>(extents, from, mesh, small_number);
    if (to.levels == 0)
      right = result == shard_of<std::int64_t>(extents, to, mesh, m.rank(), [&](index_t g, int) { return expected[static_cast<std::size_t>(g)]; });
    else
      right = denote(extents, to, mesh, all_shards(result)) == expected;
  }
  ++all.cases;
  if (right) return;
  if (all.wrong++ == 0) {
    detail::message where;
    where << extents;
    all.first_wrong = words(from) + " to " + words(to) + " of " + where.text + " on " + std::to_string(mesh.size[0]) + " x " +
                      std::to_string(mesh.size[1]) + " ranks";
  }
}

// Every pair of layouts of a rank in which the reductions of a mask may pend; each with all extents, or with one of them in turn.
template <class M>
pairs check_pairs(device_mesh<M> const& m, int rank, unsigned ops, bool all_extents) {
  std::vector<layout_value> layouts;
  for_each_layout(rank, M::axes, ops, [&](layout_value const& v) { layouts.push_back(v); });
  auto const extents = extents_to_try(rank);
  pairs all;
  for (layout_value const& from : layouts)
    for (layout_value const& to : layouts) {
      if (ops && from.levels == 0 && to.levels == 0) continue;
      redistribution_plan const p = plan(from, to);
      if (all_extents)
        for (shape const& e : extents) check(all, m, from, to, p, e);
      else
        check(all, m, from, to, p, extents[static_cast<std::size_t>(all.number) % extents.size()]);
      ++all.number;
    }
  return all;
}

using line = mesh<axis<"x">>;
using grid = mesh<axis<"x">, axis<"y">>;

}  // namespace

TEST_CASE("redistribute: all pairs of layouts that pend nothing, for all extents") {
  device_mesh<line> const row(MPI_COMM_WORLD, {world_size()});
  constexpr int on_line[]{4, 9, 16}, on_grid[]{25, 121, 361};
  for (int rank : {1, 2, 3}) {
    auto const all = check_pairs(row, rank, 0, true);
    CHECK(all.number == on_line[rank - 1]);
    CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
  }
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    for (int rank : {1, 2, 3}) {
      auto const all = check_pairs(m, rank, 0, true);
      CHECK(all.number == on_grid[rank - 1]);
      CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
    }
  });
}

TEST_CASE("redistribute: all pairs of layouts in which reductions pend") {
  device_mesh<line> const row(MPI_COMM_WORLD, {world_size()});
  for (int rank : {1, 2, 3}) {
    auto const all = check_pairs(row, rank, all_ops, true);
    CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
  }
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    for (int rank : {1, 2, 3}) {
      auto const all = check_pairs(m, rank, all_ops, false);
      CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
    }
  });
}
