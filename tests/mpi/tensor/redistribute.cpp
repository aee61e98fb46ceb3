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
    for (std::size_t k = all_extents ? 0 : i % extents.size(); k < extents.size(); k = all_extents ? k + 1 : extents.size()) {
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

}  // namespace

TEST_CASE("redistribute: all pairs of layouts that pend nothing, for all extents") {
  device_mesh<line> const row(MPI_COMM_WORLD, {world_size()});
  constexpr int on_line[]{4, 9, 16}, on_grid[]{25, 121, 361};
  for (int rank : {1, 2, 3}) {
    auto const all = check_pairs(row, rank, 0, true);
    CHECK(all.pairs == on_line[rank - 1]);
    CHECK_MESSAGE(all.wrong == 0, all.first_wrong);
  }
  for_each_factorisation([&](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    for (int rank : {1, 2, 3}) {
      auto const all = check_pairs(m, rank, 0, true);
      CHECK(all.pairs == on_grid[rank - 1]);
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
