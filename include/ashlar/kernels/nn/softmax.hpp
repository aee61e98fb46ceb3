// SPDX-License-Identifier: BSL-1.0
// Softmax and its logarithm along one dimension, with their vector-Jacobian products.
#pragma once
#include "ashlar/kernels/permute.hpp"
#include "ashlar/kernels/rows.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/ops/nn/softmax.hpp"

namespace ashlar::kernels_detail {

struct unit_step {  // std::integral_constant converts on the host only
  KOKKOS_FUNCTION constexpr operator index_t() const { return 1; }
};

/// Calls body(start, step) for line r of an array [outer][n][inner]. If inner is 1, the compiler knows that the step is
/// 1.
template <class Body>
KOKKOS_FUNCTION void with_line(index_t r, index_t n, index_t inner, Body const& body) {
  if (inner == 1)
    body(r * n, unit_step{});
  else
    body(r / inner * n * inner + r % inner, inner);
}

// The maximum ignores NaN, the sum of exponentials does not: one NaN makes the whole line NaN.
template <class T, bool Log>
struct softmax_kernel {
  T const* x;
  T* y;
  index_t n, inner;

  template <class Lanes>
  KOKKOS_FUNCTION void row(Lanes const& lanes, index_t r) const {
    with_line(r, n, inner, [&](index_t start, auto step) {
      T const* const in = x + start;
      T* const out = y + start;
      T const top = lanes.template max<T>(n, [=](index_t j) { return in[j * step]; });
      if constexpr (Log) {
        T const sum = lanes.template sum<T>(n, [=](index_t j) { return Kokkos::exp(in[j * step] - top); });
        T const log_sum = Kokkos::log(sum);
        lanes.each(n, [=](index_t j) { out[j * step] = in[j * step] - top - log_sum; });
      } else {
        lanes.each(n, [=](index_t j) { out[j * step] = Kokkos::exp(in[j * step] - top); });
        T const sum = lanes.template sum<T>(n, [=](index_t j) { return out[j * step]; });
        lanes.each(n, [=](index_t j) { out[j * step] /= sum; });
      }
    });
  }
};

template <class T, bool Log>
struct softmax_vjp_kernel {
  T const* y;
  T const* d_y;
  T* d_x;
  index_t n, inner;

  template <class Lanes>
  KOKKOS_FUNCTION void row(Lanes const& lanes, index_t r) const {
    with_line(r, n, inner, [&](index_t start, auto step) {
      T const* const out = y + start;
      T const* const d_out = d_y + start;
      T* const d_in = d_x + start;
      if constexpr (Log) {
        T const sum = lanes.template sum<T>(n, [=](index_t j) { return d_out[j * step]; });
        lanes.each(n, [=](index_t j) { d_in[j * step] = d_out[j * step] - Kokkos::exp(out[j * step]) * sum; });
      } else {
        T const sum = lanes.template sum<T>(n, [=](index_t j) { return out[j * step] * d_out[j * step]; });
        lanes.each(n, [=](index_t j) { d_in[j * step] = out[j * step] * (d_out[j * step] - sum); });
      }
    });
  }
};

/// True if the lines of [outer][n][inner] are first copied to be contiguous: long strides are slow in the host's
/// caches.
template <class Space>
constexpr bool moves_lines(index_t n, index_t inner) {
  return runs_in_caller<Space> && inner > 1 && n * inner > 4096;
}

/// Copies [outer][n][inner] to scratch as [outer][inner][n].
template <class Space, class T>
auto moved_lines(Space const& space, T const* x, index_t outer, index_t n, index_t inner) {
  auto const size = static_cast<std::size_t>(outer * n * inner);
  Kokkos::View<T*, typename Space::memory_space> const lines(
      Kokkos::view_alloc(instance_of(space), Kokkos::WithoutInitializing, "ashlar::softmax"), size);
  kernels::permute(space, x, shape::of(outer, n, inner), {0, 2, 1}, lines.data());
  return lines;
}

template <bool Log, class Space, class T>
void run_softmax(Space const& space, T const* x, index_t outer, index_t n, index_t inner, T* y) {
  if (moves_lines<Space>(n, inner)) {
    auto const lines = moved_lines(space, x, outer, n, inner);
    run_softmax<Log, Space, T>(space, lines.data(), outer * inner, n, 1, lines.data());
    return kernels::permute<Space, T>(space, lines.data(), shape::of(outer, inner, n), {0, 2, 1}, y);
  }
  for_each_row("ashlar::softmax", space, outer * inner, n, inner, softmax_kernel<T, Log>{x, y, n, inner});
}

template <bool Log, class Space, class T>
void run_softmax_vjp(Space const& space, T const* y, T const* d_y, index_t outer, index_t n, index_t inner, T* d_x) {
  if (moves_lines<Space>(n, inner)) {
    auto const out = moved_lines(space, y, outer, n, inner), d = moved_lines(space, d_y, outer, n, inner);
    run_softmax_vjp<Log, Space, T>(space, out.data(), d.data(), outer * inner, n, 1, d.data());
    return kernels::permute<Space, T>(space, d.data(), shape::of(outer, inner, n), {0, 2, 1}, d_x);
  }
  for_each_row("ashlar::softmax_vjp", space, outer * inner, n, inner,
               softmax_vjp_kernel<T, Log>{y, d_y, d_x, n, inner});
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

/// y = exp(x) / sum exp(x) along the middle dimension of row-major [outer][n][inner]; inner = 1 for the last dimension.
/// In place is allowed. A line with NaN or +infinity, or with nothing but -infinity, becomes NaN.
template <class Space, class T>
void softmax(Space const& space, T const* x, index_t outer, index_t n, index_t inner, T* y) {
  kernels_detail::run_softmax<false>(space, x, outer, n, inner, y);
}

/// y = x - log sum exp(x), likewise.
template <class Space, class T>
void log_softmax(Space const& space, T const* x, index_t outer, index_t n, index_t inner, T* y) {
  kernels_detail::run_softmax<true>(space, x, outer, n, inner, y);
}

/// The cotangent of softmax's operand, from its result y and the cotangent of y: d_x = y (d_y - sum(y d_y)).
/// d_x may be d_y.
template <class Space, class T>
void softmax_vjp(Space const& space, T const* y, T const* d_y, index_t outer, index_t n, index_t inner, T* d_x) {
  kernels_detail::run_softmax_vjp<false>(space, y, d_y, outer, n, inner, d_x);
}

/// The same for log_softmax: d_x = d_y - exp(y) sum(d_y).
template <class Space, class T>
void log_softmax_vjp(Space const& space, T const* y, T const* d_y, index_t outer, index_t n, index_t inner, T* d_x) {
  kernels_detail::run_softmax_vjp<true>(space, y, d_y, outer, n, inner, d_x);
}

template <class S, class T>
void run(ops_detail::softmax_op const&, S const& space, scratch_memory, shard<T> const& y, shard<T const> const& x) {
  kernels_detail::rows_of const r(x.local_extents());
  softmax(space, x.data, r.rows, r.n, 1, y.data);
}
template <class S, class T>
void run(ops_detail::log_softmax_op const&, S const& space, scratch_memory, shard<T> const& y,
         shard<T const> const& x) {
  kernels_detail::rows_of const r(x.local_extents());
  log_softmax(space, x.data, r.rows, r.n, 1, y.data);
}
template <class S, class T>
void run(ops_detail::softmax_pullback_op const&, S const& space, scratch_memory, shard<T> const& g,
         shard<T const> const& ct, shard<T const> const& y) {
  kernels_detail::rows_of const r(y.local_extents());
  softmax_vjp(space, y.data, ct.data, r.rows, r.n, 1, g.data);
}
template <class S, class T>
void run(ops_detail::log_softmax_pullback_op const&, S const& space, scratch_memory, shard<T> const& g,
         shard<T const> const& ct, shard<T const> const& y) {
  kernels_detail::rows_of const r(y.local_extents());
  log_softmax_vjp(space, y.data, ct.data, r.rows, r.n, 1, g.data);
}

}  // namespace ashlar::kernels
