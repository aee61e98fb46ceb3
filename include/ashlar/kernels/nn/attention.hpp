// SPDX-License-Identifier: BSL-1.0
// Causal softmax: softmax of the rows of square matrices, up to the diagonal.
#pragma once
#include "ashlar/kernels/rows.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/layout/split.hpp"
#include "ashlar/ops/nn/attention.hpp"

namespace ashlar::kernels_detail {

/// For each row of n elements, softmax over its elements j <= i, and 0 beyond. Each group of positions.size() rows is
/// the rows i = positions[0], positions[1], ... of one matrix. In place is allowed.
template <class T>
struct causal_softmax_kernel {
  T const* x;
  T* y;
  index_set positions;
  index_t n;

  template <class Lanes>
  KOKKOS_FUNCTION void row(Lanes const& lanes, index_t r) const {
    T const* const in = x + r * n;
    T* const out = y + r * n;
    index_t const after = positions[r % positions.size()] + 1, seen = after < n ? after : n;
    T const top = lanes.template max<T>(seen, [=](index_t j) { return in[j]; });
    lanes.each(n, [=](index_t j) { out[j] = j < seen ? Kokkos::exp(in[j] - top) : T(0); });
    T const sum = lanes.template sum<T>(seen, [=](index_t j) { return out[j]; });
    lanes.each(seen, [=](index_t j) { out[j] /= sum; });
  }
};

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <class S, class T>
void run(ops_detail::causal_softmax_op const&, S const& space, scratch_memory, shard<T> const& y,
         shard<T const> const& x) {
  kernels_detail::rows_of const r(x.local_extents());
  kernels_detail::causal_softmax_kernel<T> const kernel{x.data, y.data, x.owned.dim[x.owned.rank - 2], r.n};
  kernels_detail::for_each_row("ashlar::nn::causal_softmax", space, r.rows, r.n, kernel);
}

}  // namespace ashlar::kernels
