// What the halo of the rank that receives most brings, beside a count of cells and ranks one by one.
#include "ashlar/layout/halo_cells.hpp"
#include "support/halo_problems.hpp"
#include <doctest/doctest.h>
#include <set>
#include <vector>

using namespace ashlar;
using namespace ashlar::planning;
using namespace ashlar::layout_detail;

namespace {

using problem = test::halo_problem;

// Stored cells one by one. Cells that are outside the owned box in several dimensions count only with corners.
halo_traffic counted(problem const& p, bool with_corners) {
  halo_traffic most;
  std::vector<region> boxes;
  for (int r = 0; r < p.mesh.ranks(); ++r) boxes.push_back(local_region(p.extents, p.layout, p.mesh, r));
  for (int r = 0; r < p.mesh.ranks(); ++r) {
    region const& own = boxes[static_cast<std::size_t>(r)];
    std::set<std::array<index_t, layout_detail::max_rank>> cells;
    std::set<int> owners;
    test::for_stored_cells(p, own, [&](test::stored_cell const& c) {
      if (c.given || c.sign == 0 || (c.outside > 1 && !with_corners)) return;
      auto const holds = [&](region const& box) {
        for (int d = 0; d < p.extents.rank; ++d)
          if (box.dim[d].find(c.shown[static_cast<std::size_t>(d)]) < 0) return false;
        return true;
      };
      if (holds(own)) return;
      cells.insert(c.shown);
      // Of the ranks that hold the cell, the one that differs along sharding axes only.
      for (int q = 0; q < p.mesh.ranks(); ++q)
        if (holds(boxes[static_cast<std::size_t>(q)]) &&
            p.mesh.position(q, ~p.layout.sharding()) == p.mesh.position(r, ~p.layout.sharding()))
          owners.insert(q);
    });
    halo_traffic const here{static_cast<index_t>(cells.size()), static_cast<index_t>(owners.size())};
    if (most.cells < here.cells || (most.cells == here.cells && most.neighbours < here.neighbours)) most = here;
  }
  return most;
}

}  // namespace

TEST_CASE("halo_cells: the cells and the neighbours of the rank that receives most, drawn at random") {
  std::mt19937 draw(17);
  int with_many_neighbours = 0;
  for (int i = 0; i < 1000; ++i) {
    int const dims = 1 + static_cast<int>(draw() % 2);
    problem const p = test::drawn_halo_problem(draw, dims, dims == 1 ? 40 : 13, dims == 1 ? 8 : 4);
    for (bool const with_corners : {true, false}) {
      halo_traffic const expected = counted(p, with_corners);
      halo_traffic const found = most_halo_traffic(p.extents, p.layout, p.widths, p.mesh, with_corners);
      CHECK(found.cells == expected.cells);
      CHECK(found.neighbours == expected.neighbours);
      with_many_neighbours += expected.neighbours > 2;
    }
  }
  CHECK(with_many_neighbours > 200);
}

TEST_CASE("halo_cells: a wide halo has most neighbours between the larger and the smaller parts") {
  // 8 ranks own 2, 2, 2, 2, 1, 1, 1, 1 cells.
  problem p;
  p.mesh.axes = 1;
  p.mesh.size[0] = 8;
  p.extents = shape::of(12);
  p.layout.rank = 1;
  p.layout.dim[0].push(0);
  p.widths.dim[0] = {0, 4};
  CHECK(most_halo_traffic(p.extents, p.layout, p.widths, p.mesh, true) == halo_traffic{4, 4});
  CHECK(counted(p, true) == halo_traffic{4, 4});
}
