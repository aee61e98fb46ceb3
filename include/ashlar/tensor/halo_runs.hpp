// The stored cells of a shard with a halo in runs that one part of a dimension owns.
#pragma once
#include "ashlar/layout/halo_cells.hpp"
#include <algorithm>
#include <vector>

namespace ashlar::tensor_detail {

/// The halos of a tensor on a mesh.
struct halo_problem {
  shape extents;
  layout_value layout;
  halo_widths widths;
  mesh_shape mesh;
  axis_mask axes = 0;  // those that shard a dimension with room
  bool with_corners = true;
  bool sends_in_place = false;       // messages of contiguous cells are not packed
  index_t const* strides = nullptr;  // of this rank's stored cells; null: row-major

  stored_line line(int d, index_t part) const {
    return {extents[d], part_at(extents[d], layout.dim[d], mesh, part), widths.dim[d]};
  }
};

/// Consecutive stored cells of a line that one part owns: `count` cells from position `at` on. The first is cell `from`
/// of the domain, and the next is cell from + step.
struct cell_run {
  index_t at = 0, count = 0, from = 0, step = 1, owner = 0;
};

/// The stored cells of a part's line that are owned, or come from other parts. All others are copies of these.
inline std::vector<cell_run> runs_of(halo_problem const& p, int d, index_t part) {
  stored_line const line = p.line(d, part);
  std::vector<cell_run> runs;
  for (index_t v = line.first(); v < line.last(); ++v) {
    index_t const at = v - line.first();
    if (v == line.own.begin) {
      runs.push_back({at, line.own.size(), v, 1, part});
      v = line.own.end - 1;
      continue;
    }
    shown_cell const c = cell_at(v, line.n, line.width);
    if (c.given || c.sign == 0 || line.home_of(c.cell) != v) continue;
    index_t const owner = part_with(line.n, p.layout.dim[d], p.mesh, c.cell);
    if (!runs.empty()) {
      cell_run& last = runs.back();
      bool const follows = last.owner == owner && owner != part && last.at + last.count == at;
      index_t const step = c.cell - (last.from + (last.count - 1) * last.step);
      if (follows && (step == 1 || step == -1) && (last.count == 1 || step == last.step)) {
        last.step = step;
        ++last.count;
        continue;
      }
    }
    runs.push_back({at, 1, c.cell, 1, owner});
  }
  return runs;
}

/// Parts of a dimension that may store cells of a part: owners of the cells around it, and of cells near the edges.
inline std::vector<index_t> parts_near(halo_problem const& p, int d, index_t part) {
  stored_line const line = p.line(d, part);
  halo_width const& w = line.width;
  index_t const n = line.n;
  std::vector<index_t> near;
  auto const owners = [&](index_t begin, index_t end) {
    for (index_t v = std::max<index_t>(begin, 0); v < std::min(end, n);) {
      near.push_back(part_with(n, p.layout.dim[d], p.mesh, v));
      v = part_at(n, p.layout.dim[d], p.mesh, near.back()).end;
    }
  };
  index_t const begin = line.own.begin - w.upper, end = line.own.end + w.lower;
  owners(begin, end);
  if (w.below == edge::periodic) {
    for (index_t k = 1; k * n < n + w.lower + w.upper; ++k) {
      owners(begin + k * n, end + k * n);
      owners(begin - k * n, end - k * n);
    }
  } else {
    owners(0, w.lower);
    owners(n - w.upper, n);
  }
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  return near;
}

}  // namespace ashlar::tensor_detail
