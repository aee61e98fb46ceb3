// SPDX-License-Identifier: BSL-1.0
// Frequencies of Fourier transforms, and the order that begins with the most negative one.
#pragma once
#include "ashlar/ops/arrays/roll.hpp"
#include "ashlar/ops/fft/fft.hpp"
#include "ashlar/ops/math.hpp"

namespace ashlar::ops_detail {

// Frequency number i of n: 0, 1, ..., -2, -1, divided by n d.
template <class T>
struct frequency_at {
  static constexpr linearity kind = linearity::nonlinear;
  T n, unit;
  ASHLAR_FUNCTION constexpr T operator()(T i) const { return (2 * i < n ? i : i - n) / unit; }
};

}  // namespace ashlar::ops_detail

namespace ashlar::transforms {

/// The elements along dimension Dim in the order of the frequencies, from the most negative one on, as
/// numpy.fft.fftshift: a roll by half of the extent.
/// Shape: the extents and the layout of x.
/// Collective, Cost, Error: as roll.
/// Example: transforms::fftshift<1>(fft<1>(x))
template <int Dim, tensor X>
constexpr auto fftshift(X const& x, call_site w = call_site::current()) {
  return meta_detail::checked<ops_detail::roll_dimension<X, Dim>>(
      [&]<class Y>(Y const& y) { return roll<Dim>(y, y.extents()[plan_detail::dimension_of<Y, Dim>] / 2, w); }, x);
}
/// The inverse of fftshift. They differ if the extent is odd.
/// Shape: the extents and the layout of x.
/// Collective, Cost, Error: as roll.
/// Example: inverse_fft<1>(transforms::inverse_fftshift<1>(y)), with y in the order of the frequencies
template <int Dim, tensor X>
constexpr auto inverse_fftshift(X const& x, call_site w = call_site::current()) {
  return meta_detail::checked<ops_detail::roll_dimension<X, Dim>>(
      [&]<class Y>(Y const& y) { return roll<Dim>(y, -(y.extents()[plan_detail::dimension_of<Y, Dim>] / 2), w); }, x);
}

/// The frequencies of the coefficients that fft gives, in cycles per unit of the sample distance d, as
/// numpy.fft.fftfreq: 0, 1, ..., -2, -1, divided by n d. Abstract or real as the handle is.
/// Cost: no communication.
/// Example: transforms::fftfreq<double, layout<"q">>(m, 256) -> layout<"q">
template <std::floating_point T, class L, class Handle>
constexpr auto fftfreq(Handle const& m, ops_detail::index_argument n, T d = T(1), call_site w = call_site::current()) {
  auto const count = static_cast<T>(index_t(n));
  return plan_detail::evaluated(
      elementwise(ops_detail::frequency_at<T>{count, count * d}, arange<T, L>(m, n, T(0), T(1), w)));
}
/// The frequencies of the n / 2 + 1 coefficients that rfft gives, as numpy.fft.rfftfreq.
/// Cost: no communication.
/// Example: transforms::rfftfreq<double, layout<"q">>(m, 256) -> layout<"q">
template <std::floating_point T, class L, class Handle>
constexpr auto rfftfreq(Handle const& m, ops_detail::index_argument n, T d = T(1), call_site w = call_site::current()) {
  return plan_detail::evaluated(arange<T, L>(m, ops_detail::half_spectrum(n), T(0), T(1), w) /
                                (static_cast<T>(index_t(n)) * d));
}

}  // namespace ashlar::transforms
