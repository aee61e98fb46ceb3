// SPDX-License-Identifier: BSL-1.0
// Layer and RMS normalisation of the rows of an array, with their vector-Jacobian products.
#pragma once
#include "ashlar/kernels/reduce.hpp"
#include "ashlar/kernels/rows.hpp"
#include "ashlar/kernels/scratch.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/ops/nn/normalize.hpp"

namespace ashlar::kernels_detail {

/// Mean of a row (0 if it is not centered) and 1 / sqrt(mean square about it + epsilon). A second pass sums the squares
/// about the mean, so that a large mean costs no digits.
template <class T>
struct row_statistics {
  T mean = T(0), inverse;

  template <bool Centered, class Lanes>
  KOKKOS_FUNCTION static row_statistics of(Lanes const& lanes, T const* x, index_t n, T epsilon) {
    row_statistics s;
    if constexpr (Centered) s.mean = lanes.template sum<T>(n, [=](index_t j) { return x[j]; }) / static_cast<T>(n);
    T const mean = s.mean;
    T const squares = lanes.template sum<T>(n, [=](index_t j) { return (x[j] - mean) * (x[j] - mean); });
    s.inverse = T(1) / Kokkos::sqrt(squares / static_cast<T>(n) + epsilon);
    return s;
  }
};

/// y = (x - mean) / sqrt(variance + epsilon) * scale + shift for each row of n elements. There is no mean if not
/// Centered, and no shift if it is null.
template <class T, bool Centered>
struct normalize_kernel {
  T const* x;
  T const* scale;
  T const* shift;  // or null
  T* y;
  index_t n;
  T epsilon;

  template <class Lanes>
  KOKKOS_FUNCTION void row(Lanes const& lanes, index_t r) const {
    T const* const in = x + r * n;
    T* const out = y + r * n;
    T const *const a = scale, *const b = shift;
    auto const s = row_statistics<T>::template of<Centered>(lanes, in, n, epsilon);
    if (b)
      lanes.each(n, [=](index_t j) { out[j] = (in[j] - s.mean) * s.inverse * a[j] + b[j]; });
    else
      lanes.each(n, [=](index_t j) { out[j] = (in[j] - s.mean) * s.inverse * a[j]; });
  }
};

/// The cotangent of x, from the cotangent of y. With h = (x - mean) / root and g = scale d_y: d_x = (g - mean(g) - h mean(g h)) / root. The term mean(g) is missing
/// if x is not centered.
template <class T, bool Centered>
struct normalize_vjp_kernel {
  T const* x;
  T const* scale;
  T const* d_y;
  T* d_x;
  index_t n;
  T epsilon;

  template <class Lanes>
  KOKKOS_FUNCTION void row(Lanes const& lanes, index_t r) const {
    T const *const in = x + r * n, *const ct = d_y + r * n, *const a = scale;
    T* const out = d_x + r * n;
    auto const s = row_statistics<T>::template of<Centered>(lanes, in, n, epsilon);
    T g = T(0);
    if constexpr (Centered) g = lanes.template sum<T>(n, [=](index_t j) { return a[j] * ct[j]; }) / static_cast<T>(n);
    T const gh = lanes.template sum<T>(n, [=](index_t j) { return a[j] * ct[j] * ((in[j] - s.mean) * s.inverse); }) /
                 static_cast<T>(n);
    lanes.each(n, [=](index_t j) { out[j] = (a[j] * ct[j] - g - (in[j] - s.mean) * s.inverse * gh) * s.inverse; });
  }
};

template <class T, bool Centered>
struct row_statistics_kernel {
  T const* x;
  T* statistics;  // [2][rows]
  index_t rows, n;
  T epsilon;

  template <class Lanes>
  KOKKOS_FUNCTION void row(Lanes const& lanes, index_t r) const {
    auto const s = row_statistics<T>::template of<Centered>(lanes, x + r * n, n, epsilon);
    T* const to = statistics + r;
    index_t const next = rows;
    lanes.once([=] { to[0] = s.mean, to[next] = s.inverse; });
  }
};

struct normalized_product {
  template <class T>
  KOKKOS_FUNCTION T operator()(T ct, T x, T mean, T inverse) const {
    return ct * ((x - mean) * inverse);
  }
};

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <bool Centered, int Dims, class S, class T, class... Shift>
void run(ops_detail::normalize_op<Centered, Dims> const& op, S const& space, scratch_memory, shard<T> const& y,
         shard<T const> const& x, shard<T const> const& scale, Shift const&... shift) {
  kernels_detail::rows_of const r(x.local_extents(), Dims);
  T const* const b[]{shift.data..., nullptr};
  kernels_detail::normalize_kernel<T, Centered> const kernel{x.data, scale.data, b[0],
                                                             y.data, r.n,        static_cast<T>(op.epsilon)};
  kernels_detail::for_each_row("ashlar::normalize", space, r.rows, r.n, kernel);
}
template <bool Centered, int Dims, class S, class T>
void run(ops_detail::normalize_pullback_op<Centered, Dims> const& op, S const& space, scratch_memory, shard<T> const& g,
         shard<T const> const& ct, shard<T const> const& x, shard<T const> const& scale) {
  kernels_detail::rows_of const r(x.local_extents(), Dims);
  kernels_detail::normalize_vjp_kernel<T, Centered> const kernel{x.data, scale.data, ct.data,
                                                                 g.data, r.n,        static_cast<T>(op.epsilon)};
  kernels_detail::for_each_row("ashlar::normalize_vjp", space, r.rows, r.n, kernel);
}
/// The sum over rows of ct (x - mean) / root.
template <bool Centered, int Dims, class S, class T>
void run(ops_detail::normalize_scale_pullback_op<Centered, Dims> const& op, S const& space, scratch_memory memory,
         shard<T> const& g, shard<T const> const& ct, shard<T const> const& x) {
  kernels_detail::rows_of const r(x.local_extents(), Dims);
  auto const statistics = memory.array<T>(2 * r.rows);
  kernels_detail::row_statistics_kernel<T, Centered> const kernel{x.data, statistics.data(), r.rows, r.n,
                                                                  static_cast<T>(op.epsilon)};
  kernels_detail::for_each_row("ashlar::normalize_vjp", space, r.rows, r.n, kernel);
  shape const e = shape::of(r.rows, r.n);
  map_reduce<op::sum>(space, e, 1u, g.data, kernels_detail::normalized_product{}, contiguous(ct.data, e),
                      contiguous(x.data, e), strided<T>{statistics.data(), {1, 0}},
                      strided<T>{statistics.data() + r.rows, {1, 0}});
  if constexpr (!kernels_detail::runs_in_caller<S>) space.fence("ashlar::normalize_vjp: scratch");
}

}  // namespace ashlar::kernels
