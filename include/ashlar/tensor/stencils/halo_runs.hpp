// SPDX-License-Identifier: BSL-1.0
// The stored cells of a shard with a halo in runs that one part of a dimension owns.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/layout/halo_cells.hpp"
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

  stored_line line(int d, index_t part) const;
};

/// Consecutive stored cells of a line that one part owns: `count` cells from position `at` on. The first is cell `from`
/// of the domain, and the next is cell from + step.
struct cell_run {
  index_t at = 0, count = 0, from = 0, step = 1, owner = 0;
};

/// The stored cells of a part's line that are owned, or come from other parts. All others are copies of these.
ASHLAR_INLINE std::vector<cell_run> runs_of(halo_problem const& p, int d, index_t part);

/// Parts of a dimension that may store cells of a part: owners of the cells around it, and of cells near the edges.
ASHLAR_INLINE std::vector<index_t> parts_near(halo_problem const& p, int d, index_t part);

}  // namespace ashlar::tensor_detail

#if ASHLAR_IMPL
#include "ashlar/tensor/stencils/impl/halo_runs.ipp"
#endif
