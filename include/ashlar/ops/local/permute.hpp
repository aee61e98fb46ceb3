// Permutation of dimensions.
#pragma once
#include "ashlar/tensor/boxes.hpp"

namespace ashlar::detail {

// Transposes tiles in a buffer, so that both arrays are touched in whole cache lines, each once: with strides that are
// powers of two the lines of a tile would drive each other out of the cache.
template <class Space, class T>
void permute_by_tiles(Space const& space, loop_nest<2> nest, int contiguous, T const* in, T* out) {
  constexpr index_t side = sizeof(T) < 16 ? 128 / static_cast<int>(sizeof(T)) : 8;
  int const last = nest.rank - 1;
  // A tile spans `contiguous` (one step in `in`) and the last loop (one step in `out`).
  index_t const rows = nest.extent[contiguous], columns = nest.extent[last];
  index_t const row_step = nest.stride[1][contiguous], column_step = nest.stride[0][last];
  nest.extent[contiguous] = (rows + side - 1) / side;
  nest.extent[last] = (columns + side - 1) / side;
  for (index_t* stride : {nest.stride[0], nest.stride[1]}) {
    stride[contiguous] *= side;
    stride[last] *= side;
  }
  index_t const grain = elements_per_thread / (side * side);
  for_ranges("ashlar::permute", space, nest.size(), grain, [&](index_t begin, index_t end) {
    for (index_t tile = begin; tile < end; ++tile) {
      index_t offset[2], at[max_rank];
      nest.locate(tile, offset, at);
      T const* const from = in + offset[0];
      T* const to = out + offset[1];
      index_t const m = std::min(side, rows - at[contiguous] * side), n = std::min(side, columns - at[last] * side);
      T buffer[side][side];
      for (index_t j = 0; j < n; ++j)
        for (index_t i = 0; i < m; ++i) buffer[i][j] = from[j * column_step + i];
      for (index_t i = 0; i < m; ++i) std::copy_n(buffer[i], n, to + i * row_step);
    }
  });
}

}  // namespace ashlar::detail

namespace ashlar::local {

/// Permutes the dimensions of a row-major array.
/// Shape: dimension d of out is dimension order[d] of in
/// Pre: order names each dimension once; the memory does not overlap
/// Post: out[i_order[0], i_order[1], ..] == in[i_0, i_1, ..]
/// Example: permute(space, x, shape::of(128, 10), {1, 0}, transposed)
template <class Space, class T>
void permute(Space const& space, T const* in, shape const& extents, int const (&order)[max_rank], T* out) {
  detail::row_major_strides const in_strides(extents);
  shape permuted;
  index_t strides[max_rank];
  for (int& d = permuted.rank; d < extents.rank; ++d) {
    permuted[d] = extents[order[d]];
    strides[d] = in_strides.stride[order[d]];
  }
  auto const nest = detail::merge_loops<2>(permuted, {strides, detail::row_major_strides(permuted).stride});
  if constexpr (detail::runs_in_caller<Space>)
    for (int d = 0; d + 1 < nest.rank; ++d)
      if (nest.stride[0][d] == 1) return detail::permute_by_tiles(space, nest, d, in, out);
  detail::copy_boxes(space, in, out, std::span(&nest, 1));
}

}  // namespace ashlar::local
