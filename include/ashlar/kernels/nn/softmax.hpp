// SPDX-License-Identifier: BSL-1.0
// Softmax and its logarithm along the last dimension, with their vector-Jacobian products.
#pragma once
#include "ashlar/kernels/rows.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/ops/nn/softmax.hpp"

namespace ashlar::kernels_detail {

/// y = exp(x) / sum exp(x) for each row of n elements, or the logarithm of it. In place is allowed.
/// A row with NaN or +infinity, or with nothing but -infinity, becomes NaN: the maximum ignores NaN, the sum of
/// exponentials does not.
template <class T, bool Log>
struct softmax_kernel {
  T const* x;
  T* y;
  index_t n;

  template <class Lanes>
  KOKKOS_FUNCTION void row(Lanes const& lanes, index_t r) const {
    T const* const in = x + r * n;
    T* const out = y + r * n;
    T const top = lanes.template max<T>(n, [=](index_t j) { return in[j]; });
    if constexpr (Log) {
      T const sum = lanes.template sum<T>(n, [=](index_t j) { return Kokkos::exp(in[j] - top); });
      T const log_sum = Kokkos::log(sum);
      lanes.each(n, [=](index_t j) { out[j] = in[j] - top - log_sum; });
    } else {
      lanes.each(n, [=](index_t j) { out[j] = Kokkos::exp(in[j] - top); });
      T const sum = lanes.template sum<T>(n, [=](index_t j) { return out[j]; });
      lanes.each(n, [=](index_t j) { out[j] /= sum; });
    }
  }
};

/// The cotangent of the operand, from the result y and its cotangent: d_x = y (d_y - sum(y d_y)), or for the logarithm
/// d_x = d_y - exp(y) sum(d_y). d_x may be d_y.
template <class T, bool Log>
struct softmax_vjp_kernel {
  T const* y;
  T const* d_y;
  T* d_x;
  index_t n;

  template <class Lanes>
  KOKKOS_FUNCTION void row(Lanes const& lanes, index_t r) const {
    T const* const out = y + r * n;
    T const* const d_out = d_y + r * n;
    T* const d_in = d_x + r * n;
    if constexpr (Log) {
      T const sum = lanes.template sum<T>(n, [=](index_t j) { return d_out[j]; });
      lanes.each(n, [=](index_t j) { d_in[j] = d_out[j] - Kokkos::exp(out[j]) * sum; });
    } else {
      T const sum = lanes.template sum<T>(n, [=](index_t j) { return out[j] * d_out[j]; });
      lanes.each(n, [=](index_t j) { d_in[j] = out[j] * (d_out[j] - sum); });
    }
  }
};

template <bool Log, class Space, class T>
void run_softmax(Space const& space, kernels::shard<T> const& y, kernels::shard<T const> const& x) {
  rows_of const r(x.local_extents());
  for_each_row("ashlar::softmax", space, r.rows, r.n, softmax_kernel<T, Log>{x.data, y.data, r.n});
}
template <bool Log, class Space, class T>
void run_softmax_vjp(Space const& space, kernels::shard<T> const& g, kernels::shard<T const> const& ct,
                     kernels::shard<T const> const& y) {
  rows_of const r(y.local_extents());
  for_each_row("ashlar::softmax_vjp", space, r.rows, r.n, softmax_vjp_kernel<T, Log>{y.data, ct.data, g.data, r.n});
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <class S, class T>
void run(ops_detail::softmax_op const&, S const& space, scratch_memory, shard<T> const& y, shard<T const> const& x) {
  kernels_detail::run_softmax<false>(space, y, x);
}
template <class S, class T>
void run(ops_detail::log_softmax_op const&, S const& space, scratch_memory, shard<T> const& y,
         shard<T const> const& x) {
  kernels_detail::run_softmax<true>(space, y, x);
}
template <class S, class T>
void run(ops_detail::softmax_pullback_op const&, S const& space, scratch_memory, shard<T> const& g,
         shard<T const> const& ct, shard<T const> const& y) {
  kernels_detail::run_softmax_vjp<false>(space, g, ct, y);
}
template <class S, class T>
void run(ops_detail::log_softmax_pullback_op const&, S const& space, scratch_memory, shard<T> const& g,
         shard<T const> const& ct, shard<T const> const& y) {
  kernels_detail::run_softmax_vjp<true>(space, g, ct, y);
}

}  // namespace ashlar::kernels
