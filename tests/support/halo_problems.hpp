// Layouts with halos drawn at random: one or two dimensions, split by up to three axes, with any widths and edges. And
// their stored cells, one by one.
#pragma once
#include "ashlar/layout/halo_cells.hpp"
#include <array>
#include <random>

namespace ashlar::test {

struct halo_problem {
  shape extents;
  layout_value layout;
  layout_detail::halo_widths widths;
  mesh_shape mesh;
};

/// A dimension has fewer than `longest` cells, and a halo of fewer than `widest` on either side.
inline halo_problem drawn_halo_problem(std::mt19937& draw, int dims, int longest, int widest) {
  auto const below = [&](int n) { return static_cast<int>(draw() % static_cast<unsigned>(n)); };
  halo_problem p;
  p.mesh.axes = 3;
  for (int a = 0; a < 3; ++a) p.mesh.size[a] = 1 + below(dims == 1 && a > 0 ? 3 : dims == 1 ? 9 : 4);
  p.extents.rank = p.layout.rank = dims;
  for (int d = 0; d < dims; ++d) {
    p.extents[d] = below(longest);
    constexpr boundary edges[]{boundary::zero, boundary::copy,     boundary::mirror, boundary::reflect,
                               boundary::odd,  boundary::periodic, boundary::given};
    boundary const e = edges[below(7)], other = e == boundary::periodic ? e : edges[below(5)];
    p.widths.dim[d] = {below(widest), below(widest), e, other};
  }
  // The axes of a dimension: none, one, or several.
  for (int a = 0; a < 3; ++a)
    if (int const d = below(dims + 1); d < dims) p.layout.dim[d].push(a);
  return p;
}

/// A stored cell: the cell of the domain that it shows times `sign`, and the dimensions in which it is outside the owned box.
struct stored_cell {
  std::array<index_t, layout_detail::max_rank> shown{};
  int sign = 1;
  bool given = false;
  int outside = 0;
};

/// Calls f for each cell that the rank with the box `own` stores, in the order of its memory.
template <class F>
void for_stored_cells(halo_problem const& p, region const& own, F const& f, int d = 0, stored_cell const& c = {}) {
  if (own.size() == 0) return;
  if (d == p.extents.rank) return f(c);
  layout_detail::halo_width const& w = p.widths.dim[d];
  interval const line{own.dim[d].begin, own.dim[d].end};
  for (index_t v = line.begin - w.lower; v < line.end + w.upper; ++v) {
    layout_detail::shown_cell const s = layout_detail::cell_at(v, p.extents[d], w);
    stored_cell next = c;
    next.shown[static_cast<std::size_t>(d)] = s.cell;
    next.sign *= s.sign;
    next.given = c.given || s.given;
    next.outside += v < line.begin || v >= line.end;
    for_stored_cells(p, own, f, d + 1, next);
  }
}

}  // namespace ashlar::test
