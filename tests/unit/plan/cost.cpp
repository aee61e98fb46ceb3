// Costs that are counted by classes of ranks, against costs that are counted rank by rank.
#include "ashlar/plan/cost.hpp"
#include "support/plan_search.hpp"
#include <doctest/doctest.h>
#include <random>

using namespace ashlar;
using namespace ashlar::planning;
using namespace ashlar::test;

namespace {

// Elements received by the rank that receives most. Every rank is visited, and common elements are counted run by run.
index_t received_by_visits(planning::plan_step const& s, shape const& global, mesh_shape const& mesh) {
  index_t most = 0;
  for (int rank = 0; rank < mesh.ranks(); ++rank) {
    region const shard = local_region(global, s.to, mesh, rank);
    index_t received = shard.size();
    if (s.what != collective::reduce_scatter) {
      region const old = local_region(global, s.from, mesh, rank);
      index_t common = 1;
      for (int d = 0; d < global.rank; ++d) common *= layout_detail::overlap_of(shard.dim[d], old.dim[d]).size;
      received -= common;
    } else {
      index_t smallest = received;
      for (int p = 0, q = mesh.ranks(s.axes); p < q; ++p) {
        int const peer = mesh.with_position(rank, s.axes, p);
        index_t const size = local_region(global, s.to, mesh, peer).size();
        if (peer != rank) received += size;
        smallest = std::min(smallest, size);
      }
      received -= smallest;
    }
    most = std::max(most, received);
  }
  return most;
}

index_t bytes_by_visits(planning::plan_step const& s, shape const& global, mesh_shape const& mesh) {
  index_t const q = mesh.ranks(s.axes), n = layout_detail::largest_shard(global, s.from, mesh);
  if (!plan_detail::communicates(s.what) || q == 1) return 0;
  return s.what == collective::all_reduce ? 2 * (n - n / q) : received_by_visits(s, global, mesh);
}

index_t peak_by_visits(planning::redistribution_plan const& p, shape const& global, mesh_shape const& mesh) {
  index_t most = 0;
  for (int rank = 0; rank < mesh.ranks(); ++rank) {
    index_t const source = local_shape(global, p.layout(0), mesh, rank).size();
    index_t live = source;
    most = std::max(most, source);
    for (planning::plan_step const& s : p) {
      if (mesh.ranks(s.axes) == 1 && layout_detail::same_placement(global, s.from, s.to, mesh)) continue;
      most = std::max(most, live + plan_detail::step_elements(s, global, mesh, rank));
      live = source + local_shape(global, s.to, mesh, rank).size();
    }
  }
  return most;
}

void check_step(planning::plan_step const& s, shape const& global, mesh_shape const& mesh) {
  CHECK(plan_detail::step_bytes(s, global, mesh, 1) == bytes_by_visits(s, global, mesh));
}

std::string text(mesh_shape const& mesh, shape const& global) {
  std::string s = "ranks";
  for (int a = 0; a < mesh.axes; ++a) s += " " + std::to_string(mesh.size[a]);
  s += ", extents";
  for (int d = 0; d < global.rank; ++d) s += " " + std::to_string(global[d]);
  return s;
}

// The costs of a plan between two layouts, and of the one step between them if neither is partial.
void check(layout_value const& from, layout_value const& to, shape const& global, mesh_shape const& mesh) {
  planning::redistribution_plan const p = plan(from, to, all_axes(mesh));
  INFO(name(from) << " -> " << name(to) << ", " << text(mesh, global));
  for (planning::plan_step const& s : p) check_step(s, global, mesh);
  CHECK(p.peak_bytes(global, mesh, 1) == peak_by_visits(p, global, mesh));
  if (!from.levels && !to.levels && from != to) check_step(plan_detail::step_between(from, to), global, mesh);
}

}  // namespace

TEST_CASE("costs by classes of ranks: all layouts on small meshes") {
  for (auto const& sizes : std::vector<std::vector<int>>{{1}, {2}, {5}, {3, 1}, {2, 3}, {4, 3}})
    for (std::vector<int> const& extents : std::vector<std::vector<int>>{{0}, {1}, {7}, {12}, {23}, {1, 5}, {5, 7}}) {
      mesh_shape const mesh = mesh_of(sizes);
      int const rank = static_cast<int>(extents.size());
      if (mesh.axes * rank > 2 && mesh.ranks() > 6) continue;
      auto const layouts = with_cyclic(all_layouts(rank, mesh.axes), {1, 3});
      for (auto const& from : layouts)
        for (auto const& to : layouts) check(from, to, shape_of(extents), mesh);
    }
}

TEST_CASE("costs by classes of ranks: layouts at random") {
  std::minstd_rand random(5);
  auto below = [&](int n) { return static_cast<int>(random() / 7 % static_cast<unsigned>(n)); };
  std::vector<std::vector<int>> const meshes{{7},       {16},         {31},         {4, 5},
                                             {9, 8},    {1, 13},      {2, 17},      {2, 3, 5},
                                             {5, 1, 4}, {2, 3, 2, 4}, {3, 2, 2, 1}, {2, 2, 2, 2, 3}};
  int const some[]{0, 1, 2, 3, 5, 7, 11, 13, 16, 24, 37, 60, 61, 97, 128};
  for (int i = 0; i < 12000; ++i) {
    mesh_shape const mesh = mesh_of(meshes[static_cast<std::size_t>(i) % meshes.size()]);
    shape global;
    for (int rank = 1 + below(3); global.rank < rank;) global[global.rank++] = some[below(15)];
    std::vector<int> const ops = i % 2 ? std::vector<int>{} : std::vector<int>{layout_detail::op_sum};
    auto const from = layout_at_random(random, global.rank, mesh.axes, ops);
    auto const to = layout_at_random(random, global.rank, mesh.axes, ops);
    check(from, to, global, mesh);
  }
}

TEST_CASE("costs by classes of ranks: splits and long axes at random" * doctest::test_suite("nightly")) {
  std::minstd_rand random(9);
  auto below = [&](int n) { return static_cast<int>(random() / 7 % static_cast<unsigned>(n)); };
  for (int i = 0; i < 600; ++i) {
    mesh_shape const mesh = mesh_of(i % 2 ? std::vector<int>{1 + below(40), 1 + below(40)}
                                          : std::vector<int>{1 + below(12), 1 + below(12), 1 + below(12)});
    shape global;
    for (int rank = 1 + below(2); global.rank < rank;) global[global.rank++] = below(i % 3 ? 5000 : 200);
    auto const from = layout_at_random(random, global.rank, mesh.axes);
    auto const to = layout_at_random(random, global.rank, mesh.axes);
    INFO(name(from) << " -> " << name(to) << ", " << text(mesh, global));
    if (from != to) check_step(plan_detail::step_between(from, to), global, mesh);
    // A reduction over all axes of `to`, or over some.
    layout_value partial;
    partial.rank = global.rank;
    axis_mask const summed = to.sharding() & static_cast<axis_mask>(i % 4 ? ~0 : below(8));
    partial.add_partial(layout_detail::op_sum, summed);
    if (summed) {
      planning::plan_step const s = plan_detail::step_between(partial, to);
      CHECK(s.what == collective::reduce_scatter);
      check_step(s, global, mesh);
    }
  }
}

TEST_CASE("a million ranks have few classes") {
  mesh_shape const mesh = mesh_of({1024, 1024});
  layout_detail::axis_list both, cyclic;
  both.push(0), both.push(1);
  cyclic = both;
  cyclic.cyclic = 1;
  cyclic.block = 64;
  for (index_t n : {index_t{1} << 20, index_t{1} << 22, index_t{5'000'011}})
    for (auto const& list : {both, cyclic}) {
      layout_value const split{2, {list}}, whole{2, {}};
      layout_value sum = whole;
      sum.add_partial(layout_detail::op_sum, 3);
      plan_detail::rank_classes all(mesh);
      all.add(shape::of(n, 6), split);
      CHECK(all.classes().ranks() <= 64);
      index_t received = 0, smallest = n;
      for (int r = 0; r < mesh.ranks(); ++r)
        smallest = std::min(smallest, local_shape({shape::of(n)}, {1, {list}}, mesh, r).size());
      received = 6 * (n - smallest);
      CHECK(plan_detail::step_bytes(plan_detail::step_between(sum, split), shape::of(n, 6), mesh, 1) == received);
      CHECK(plan_detail::step_bytes(plan_detail::step_between(split, whole), shape::of(n, 6), mesh, 1) == received);
    }
}
