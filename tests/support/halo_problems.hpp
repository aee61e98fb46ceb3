// Layouts with halos drawn at random: one or two dimensions, split by up to three axes, with any widths and edges.
#pragma once
#include "ashlar/layout/halo_cells.hpp"
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
    constexpr edge edges[]{edge::zero, edge::copy, edge::mirror, edge::reflect, edge::odd, edge::periodic, edge::given};
    edge const e = edges[below(7)], other = e == edge::periodic ? e : edges[below(5)];
    p.widths.dim[d] = {below(widest), below(widest), e, other};
  }
  // The axes of a dimension: none, one, or several.
  for (int a = 0; a < 3; ++a)
    if (int const d = below(dims + 1); d < dims) p.layout.dim[d].push(a);
  return p;
}

}  // namespace ashlar::test
