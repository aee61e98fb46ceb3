// SPDX-License-Identifier: BSL-1.0
// A copy of an array with zeros in a box.
#pragma once
#include "ashlar/kernels/fill_outside.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/ops/arrays/concatenate.hpp"

namespace ashlar::kernels_detail {

template <class T>
struct clear_box_kernel {
  T const* in;
  T* out;
  inner_box box;

  KOKKOS_FUNCTION void operator()(index_t i) const { out[i] = box.holds(i, box.extents.rank) ? T(0) : in[i]; }
};

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <class S, class T>
void run(ops_detail::clear_box_op const& op, S const& space, scratch_memory, shard<T> const& y,
         shard<T const> const& x) {
  kernels_detail::clear_box_kernel<T> k{x.data, y.data, {x.local_extents(), op.begin, op.begin}};
  for (int d = 0; d < x.owned.rank; ++d) {
    k.box.begin[d] = x.owned.dim[d].below(op.begin[d]);
    k.box.end[d] = x.owned.dim[d].below(op.begin[d] + op.box[d]);
  }
  kernels_detail::for_each_index("ashlar::paste", space, y.local_size(), 4, k);
}

}  // namespace ashlar::kernels
