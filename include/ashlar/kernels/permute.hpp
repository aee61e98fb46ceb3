// SPDX-License-Identifier: BSL-1.0
// Permutation of dimensions.
#pragma once
#include "ashlar/kernels/strided_copy.hpp"

namespace ashlar::kernels {

/// Permutes the dimensions of a row-major array.
/// Shape: dimension d of out is dimension order[d] of in
/// Pre: order names each dimension once; the memory does not overlap
/// Post: out[i_order[0], i_order[1], ..] == in[i_0, i_1, ..]
/// Example: permute(space, x, shape::of(128, 10), {1, 0}, transposed)
template <class Space, class T>
void permute(Space const& space, T const* in, shape const& extents, int const (&order)[max_rank], T* out) {
  kernels_detail::row_major_strides const in_strides(extents);
  shape permuted;
  index_t strides[max_rank];
  for (int& d = permuted.rank; d < extents.rank; ++d) {
    permuted[d] = extents[order[d]];
    strides[d] = in_strides.stride[order[d]];
  }
  auto const nest =
      kernels_detail::merge_loops<2>(permuted, {strides, kernels_detail::row_major_strides(permuted).stride});
  kernels_detail::strided_copy(space, in, out, std::span(&nest, 1));
}

}  // namespace ashlar::kernels
