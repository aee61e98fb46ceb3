// SPDX-License-Identifier: BSL-1.0
// Frequencies of Fourier transforms, and the order that begins with the most negative one.
#pragma once
#include "ashlar/ops/fft/fft.hpp"
#include "ashlar/ops/math.hpp"

namespace ashlar::ops_detail {

struct fftshift_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::sharded_dimension, Axis, L...>::value,
        "ashlar::transforms::fftshift: the axis shards the dimension that is shifted; redistribute the tensor first, to a layout in which this dimension is whole");
  }
};

/// Moves the elements along a whole dimension of n by n / 2 places around the end, or back.
template <int Dim>
struct fftshift_op : like_operand<fftshift_diagnostics> {
  static constexpr int dim = Dim;
  direction to;
  static constexpr rule_result rule(layout_value const& x) {
    if (x.dim[Dim].size) return rule_result::wrong(fault::sharded_dimension, x.dim[Dim][0]);
    return {x};  // another order of elements commutes with every reduction
  }
  constexpr index_t places(index_t n) const { return to == direction::forward ? n / 2 : n - n / 2; }
  template <int, class Ct, class Y, class X>
  constexpr auto pullback(Ct const& ct, Y const&, X const&) const {
    return apply(fftshift_op{{}, to == direction::forward ? direction::inverse : direction::forward}, ct);
  }
};

template <class X, int Dim>
struct fftshift_dimension {
  static constexpr bool ok = are_dimensions<rank_v<X>, Dim>;
  static constexpr void say() {
    static_assert(ok, "ashlar::transforms::fftshift: the tensor has no such dimension; they count from 0");
  }
};
template <int Dim, class X>
constexpr auto shift(direction to, X const& x) {
  return checked<fftshift_dimension<X, Dim>>([&](auto const& y) { return apply(fftshift_op<Dim>{{}, to}, y); }, x);
}

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
/// numpy.fft.fftshift. Whatever is partial stays partial.
/// Shape: the extents and the layout of x.
/// Pre: no axis shards the dimension.
/// Post: inverse_fftshift<D>(fftshift<D>(x)) == x
/// Cost: no communication. The derivative is the inverse shift.
/// Error: does not compile if an axis shards the dimension, or if the tensor has no such dimension.
/// Example: transforms::fftshift<1>(fft<1>(x))
template <int Dim, tensor X>
constexpr auto fftshift(X const& x) {
  return ops_detail::shift<Dim>(ops_detail::direction::forward, x);
}
/// The inverse of fftshift. They differ if the extent is odd.
/// Shape: the extents and the layout of x.
/// Pre, Cost, Error: as fftshift.
/// Example: inverse_fft<1>(transforms::inverse_fftshift<1>(y)), with y in the order of the frequencies
template <int Dim, tensor X>
constexpr auto inverse_fftshift(X const& x) {
  return ops_detail::shift<Dim>(ops_detail::direction::inverse, x);
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
