// SPDX-License-Identifier: BSL-1.0
// The largest or smallest element over dimensions, and its global index.
#pragma once
#include "ashlar/kernels/reduce.hpp"
#include "ashlar/kernels/rows.hpp"
#include "ashlar/ops/arrays/extremum_index.hpp"

namespace ashlar::kernels_detail {

/// An element with its index.
template <class E>
struct element_with_index {
  template <class T>
  KOKKOS_FUNCTION E operator()(T value, index_t index) const {
    return E(value, index);
  }
};

/// Turns the index in the shard's reduced dimensions into the index in the tensor's.
template <class E>
struct index_of_tensor {
  E* out;
  region owned;
  shape global;
  unsigned dims;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t rest = out[i].index;
    if (rest < 0) return;
    index_t at = 0, stride = 1;
    for (int d = global.rank - 1; d >= 0; --d) {
      if (!(dims >> d & 1u)) continue;
      index_t const n = owned.dim[d].size();
      at += owned.dim[d][rest % n] * stride;
      rest /= n;
      stride *= global[d];
    }
    out[i].index = at;
  }
};

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

/// A shard's indices are in the order of the tensor's, so the lowest index in the shard is the lowest one of the tensor.
template <bool Smallest, unsigned Dims, class S, class T>
void run(ops_detail::extremum_op<Smallest, Dims> const&, S const& space, scratch_memory,
         shard<ops_detail::extremum<T, Smallest>> const& y, shard<T const> const& x) {
  using E = ops_detail::extremum<T, Smallest>;
  shape const own = x.local_extents();
  global_index index{0, {}};
  index_t n = 1;
  for (int d = own.rank - 1; d >= 0; --d)
    if (Dims >> d & 1u) {
      index.stride[d] = n;
      n *= own[d];
    }
  map_reduce<op::sum>(space, own, Dims, y.data, kernels_detail::element_with_index<E>{}, contiguous(x.data, own),
                      index);
  kernels_detail::for_each_index("ashlar::argmax", space, y.local_size(), 8,
                                 kernels_detail::index_of_tensor<E>{y.data, x.owned, x.global, Dims});
}

}  // namespace ashlar::kernels
