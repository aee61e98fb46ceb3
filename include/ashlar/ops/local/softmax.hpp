// Softmax and its logarithm along one dimension, with their vector-Jacobian products.
#pragma once
#include "ashlar/ops/local/rows.hpp"
#include <type_traits>

namespace ashlar::detail {

/// Calls body(start, step) for line r of an array [outer][n][inner]; a step that is always 1 is known to the compiler.
template <class Body>
KOKKOS_FUNCTION void with_line(index_t r, index_t n, index_t inner, Body const& body) {
  if (inner == 1)
    body(r * n, std::integral_constant<index_t, 1>{});
  else
    body(r / inner * n * inner + r % inner, inner);
}

// The maximum leaves NaN out, the sum of exponentials does not: one NaN makes the whole line NaN.
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

}  // namespace ashlar::detail

namespace ashlar::local {

/// y = exp(x) / sum exp(x) along the middle dimension of row-major [outer][n][inner]; inner = 1 for the last dimension.
/// In place is allowed. A line that holds NaN or +infinity, or nothing but -infinity, becomes NaN.
template <class Space, class T>
void softmax(Space const& space, T const* x, index_t outer, index_t n, index_t inner, T* y) {
  detail::for_each_row("ashlar::softmax", space, outer * inner, n, detail::softmax_kernel<T, false>{x, y, n, inner});
}

/// y = x - log sum exp(x), likewise.
template <class Space, class T>
void log_softmax(Space const& space, T const* x, index_t outer, index_t n, index_t inner, T* y) {
  detail::for_each_row("ashlar::log_softmax", space, outer * inner, n, detail::softmax_kernel<T, true>{x, y, n, inner});
}

/// The cotangent of softmax's operand from its result y and the result's cotangent: d_x = y (d_y - sum(y d_y)).
/// d_x may be d_y.
template <class Space, class T>
void softmax_vjp(Space const& space, T const* y, T const* d_y, index_t outer, index_t n, index_t inner, T* d_x) {
  detail::softmax_vjp_kernel<T, false> const kernel{y, d_y, d_x, n, inner};
  detail::for_each_row("ashlar::softmax_vjp", space, outer * inner, n, kernel);
}

/// The same for log_softmax: d_x = d_y - exp(y) sum(d_y).
template <class Space, class T>
void log_softmax_vjp(Space const& space, T const* y, T const* d_y, index_t outer, index_t n, index_t inner, T* d_x) {
  detail::softmax_vjp_kernel<T, true> const kernel{y, d_y, d_x, n, inner};
  detail::for_each_row("ashlar::log_softmax_vjp", space, outer * inner, n, kernel);
}

}  // namespace ashlar::local
