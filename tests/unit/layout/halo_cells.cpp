// What the halo of the rank that receives most brings, beside a count of cells and ranks one by one.
#include "ashlar/layout/halo_cells.hpp"
#include "support/halo_problems.hpp"
#include <doctest/doctest.h>
#include <set>
#include <vector>

using namespace ashlar;
using namespace ashlar::layout_detail;

namespace {

using problem = test::halo_problem;

// Stored cells one by one. Cells that are outside the owned box in several dimensions count only with corners.
halo_traffic counted(problem const& p, bool with_corners) {
  halo_traffic most;
  int const dims = p.extents.rank;
  std::vector<region> boxes;
  for (int r = 0; r < p.mesh.ranks(); ++r) boxes.push_back(local_region(p.extents, p.layout, p.mesh, r));
  for (int r = 0; r < p.mesh.ranks(); ++r) {
    region const& own = boxes[static_cast<std::size_t>(r)];
    if (own.size() == 0) continue;
    std::set<std::vector<index_t>> cells;
    std::set<int> owners;
    auto const visit = [&](auto const& self, int d, std::vector<index_t> shown, int outside) -> void {
      if (d < dims) {
        interval const line{own.dim[d].begin, own.dim[d].end};
        halo_width const& w = p.widths.dim[d];
        for (index_t v = line.begin - w.lower; v < line.end + w.upper; ++v) {
          shown_cell const c = cell_at(v, p.extents[d], w);
          if (c.given || c.sign == 0) continue;
          auto next = shown;
          next.push_back(c.cell);
          self(self, d + 1, next, outside + (v < line.begin || v >= line.end));
        }
        return;
      }
      if (outside > 1 && !with_corners) return;
      auto const holds = [&](region const& box) {
        for (int e = 0; e < dims; ++e)
          if (box.dim[e].find(shown[static_cast<std::size_t>(e)]) < 0) return false;
        return true;
      };
      if (holds(own)) return;
      cells.insert(shown);
      // Of the ranks that hold the cell, the one that differs along sharding axes only.
      for (int q = 0; q < p.mesh.ranks(); ++q)
        if (holds(boxes[static_cast<std::size_t>(q)]) &&
            p.mesh.position(q, ~p.layout.sharding()) == p.mesh.position(r, ~p.layout.sharding()))
          owners.insert(q);
    };
    visit(visit, 0, {}, 0);
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
