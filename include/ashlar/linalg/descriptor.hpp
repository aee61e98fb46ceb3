// SPDX-License-Identifier: BSL-1.0
// Shards of tensors as ScaLAPACK describes them.
#pragma once
#include "ashlar/linalg/block_cyclic.hpp"
#include "ashlar/linalg/process_grid.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
#include <array>

namespace ashlar::linalg_detail {

// The blocks of dimension d. A dimension that is whole on each rank is one part of any block.
constexpr int block_of_dimension(layout_value const& v, int d) {
  return v.dim[d].block != 0 ? v.dim[d].block : v.dim[1 - d].block != 0 ? v.dim[1 - d].block : usual_block;
}

}  // namespace ashlar::linalg_detail

namespace ashlar::linalg {

/// ScaLAPACK's descriptor of a matrix of a block-cyclic layout. Our row-major shard is ScaLAPACK's column-major shard of
/// the transposed matrix, on the transposed grid of ranks. So no element is copied, and ScaLAPACK sees the transpose.
/// Shape: of x with extents (m, n), a matrix of n rows and m columns in blocks of (block of dimension 1, block of
///   dimension 0).
/// Pre: all axes of a dimension are block-cyclic, or none shards it.
/// Collective: every rank of the mesh calls it. The first call for the axes of a layout makes a grid, which the mesh
///   keeps; it blocks.
/// Error: ashlar::error on every rank for an extent, or for elements of a shard, above 2^31 - 1.
/// Example: auto const d = scalapack_descriptor(x);  // x of layout<cyclic("p", 64), cyclic("q", 64)>
///   pdpotrf_("U", &n, x.data(), &one, &one, d.data(), &info);  // the lower triangle of x is the factor of x
template <class T, class L, class M, class Space>
std::array<int, 9> scalapack_descriptor(sharded_tensor<T, L, M, Space> const& x) {
  static_assert(
      linalg_detail::is_block_cyclic<L>,
      "ashlar::linalg::scalapack_descriptor: the layout is not block-cyclic; redistribute to linalg::block_cyclic_t<Layout>");
  constexpr layout_value const& v = sharded_tensor<T, L, M, Space>::layout;
  linalg_detail::check_counts(x.extents(), v, x.mesh().sizes());
  index_t const columns = x.local_extents()[1];
  return {1,
          linalg_detail::grid_of(x.mesh(), v).context(),
          static_cast<int>(x.extent(1)),
          static_cast<int>(x.extent(0)),
          linalg_detail::block_of_dimension(v, 1),
          linalg_detail::block_of_dimension(v, 0),
          0,
          0,
          static_cast<int>(columns > 1 ? columns : 1)};
}

}  // namespace ashlar::linalg
