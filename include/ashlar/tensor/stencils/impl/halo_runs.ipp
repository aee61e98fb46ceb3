// SPDX-License-Identifier: BSL-1.0
// The functions of tensor/stencils/halo_runs.hpp.
#include <algorithm>

namespace ashlar::tensor_detail {

ASHLAR_INLINE stored_line halo_problem::line(int d, index_t part) const {
  return {extents[d], part_at(extents[d], layout.dim[d], mesh, part), widths.dim[d]};
}

ASHLAR_INLINE std::vector<cell_run> runs_of(halo_problem const& p, int d, index_t part) {
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

ASHLAR_INLINE std::vector<index_t> parts_near(halo_problem const& p, int d, index_t part) {
  stored_line const line = p.line(d, part);
  halo_width const& w = line.width;
  index_t const n = line.n;
  std::vector<index_t> nearby;
  auto const owners = [&](index_t begin, index_t end) {
    for (index_t v = std::max<index_t>(begin, 0); v < (std::min)(end, n);) {
      nearby.push_back(part_with(n, p.layout.dim[d], p.mesh, v));
      v = part_at(n, p.layout.dim[d], p.mesh, nearby.back()).end;
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
  std::sort(nearby.begin(), nearby.end());
  nearby.erase(std::unique(nearby.begin(), nearby.end()), nearby.end());
  return nearby;
}

}  // namespace ashlar::tensor_detail
