// SPDX-License-Identifier: BSL-1.0
// The global index of an element, as a leaf of expressions.
#pragma once
#include "ashlar/kernels/leaves.hpp"
#include "ashlar/layout/split.hpp"
#include "ashlar/layout/shape.hpp"

namespace ashlar::kernels {

/// A leaf: the global index of each element of a shard that holds the indices held[d]. Each dimension has bits of its own
/// in an offset, so an index is found by shifts.
template <int Rank>
struct index_of_elements {
  index_set held[meta_detail::array_bound(Rank)];
  int first_bit[meta_detail::array_bound(Rank)];
  index_t mask[meta_detail::array_bound(Rank)];
  index_t stride[layout_detail::max_rank];

  explicit index_of_elements(region const& part) : first_bit{}, mask{}, stride{} {
    int bit = 0;
    for (int d = Rank - 1; d >= 0; --d) {
      held[d] = part.dim[d];
      int bits = 0;  // more than the extent needs, so that no two loops become one
      while ((part.dim[d].size() >> bits) != 0) ++bits;
      first_bit[d] = bit;
      mask[d] = (index_t{1} << bits) - 1;
      stride[d] = index_t{1} << bit;
      bit += bits;
    }
  }

  using buffer = kernels_detail::no_buffer;
  index_t const* strides() const { return stride; }
  KOKKOS_FUNCTION cell_index<Rank> at(index_t offset) const {
    cell_index<Rank> i{};
    for (int d = 0; d < Rank; ++d) i.of[d] = held[d][offset >> first_bit[d] & mask[d]];
    return i;
  }
  static bool buffered(index_t) { return false; }
  auto rows(index_t offset, index_t row_stride, index_t step, index_t, buffer&) const {
    return [=, &leaf = *this](index_t r, index_t j) { return leaf.at(offset + r * row_stride + j * step); };
  }
};

}  // namespace ashlar::kernels
