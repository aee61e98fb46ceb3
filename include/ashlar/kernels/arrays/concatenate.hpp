// SPDX-License-Identifier: BSL-1.0
// A copy of an array with zeros in a box.
#pragma once
#include "ashlar/kernels/elementwise.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/ops/arrays/concatenate.hpp"

namespace ashlar::kernels {

template <class S, class T>
void run(ops_detail::clear_box_op const& op, S const& space, scratch_memory, shard<T> const& y,
         shard<T const> const& x) {
  copy(space, x.data, y.data, y.local_size());
  shape box = x.local_extents();
  kernels_detail::row_major_strides const strides(box);
  T* first = y.data;
  for (int d = 0; d < box.rank; ++d) {
    index_t const begin = x.owned.dim[d].below(op.begin[d]);
    box[d] = x.owned.dim[d].below(op.begin[d] + op.box[d]) - begin;
    first += begin * strides.stride[d];
  }
  map_to(space, box, first, strides.stride, kernels_detail::same_value{}, constant<T>{T(0)});
}

}  // namespace ashlar::kernels
