// SPDX-License-Identifier: BSL-1.0
// Discrete Fourier transforms along one dimension. Include tensor/fft/fft.hpp for transforms on real ranks.
#pragma once
#include "ashlar/ops/complex.hpp"
#include <complex>

namespace ashlar {

namespace ops_detail {

struct fft_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::sharded_dimension, Axis, L...>::value,
        "ashlar::fft: the axis shards the dimension that is transformed; redistribute the tensor first, to a layout in which this dimension is whole");
    static_assert(
        !breaks<F, fault::not_linear, Axis, L...>::value,
        "ashlar::fft: the tensor is partial over the axis by a reduction that is no sum; all_reduce or reduce_scatter it first");
  }
};

template <class T>
struct complex_of {
  using type = T;
};
template <std::floating_point T>
struct complex_of<T> {
  using type = std::complex<T>;
};
/// The complex type of a real type, or the type itself.
template <class T>
using complex_t = typename complex_of<T>::type;

/// False for elements that no transform takes.
template <class T>
inline constexpr bool is_transformable_v =
    std::is_same_v<component_t<T>, double> || std::is_same_v<component_t<T>, float>;

/// The number of coefficients of a real transform of n numbers; the others are their conjugates.
constexpr index_t half_spectrum(index_t n) { return n == 0 ? 0 : n / 2 + 1; }

/// The base of operations that act on each line along dimension Dim, linearly. No axis may shard this dimension, and
/// partial sums may pass.
template <int Dim>
struct along_whole_dimension {
  using diagnostics = fft_diagnostics;
  static constexpr int dim = Dim;
  static constexpr rule_result rule(layout_value const& x) {
    if (x.dim[Dim].size) return rule_result::wrong(fault::sharded_dimension, x.dim[Dim][0]);
    return elementwise_rule(linearity::linear, x);
  }
  static constexpr shape extents(layout_value const&, shape const& x) { return x; }
};

enum class direction { forward, inverse };

/// y_k = sum over j of x_j exp(-+ 2 pi i j k / n), divided by n in the inverse direction. The matrix is symmetric, so
/// the operation is its own transpose.
template <int Dim, direction D>
struct fft_op : along_whole_dimension<Dim> {
  template <class T>
  using element = complex_t<T>;
  template <int, class Ct, class Y, class X>
  constexpr auto pullback(Ct const& ct, Y const&, X const&) const {
    if constexpr (is_complex_v<element_t<X>>)
      return apply(*this, ct);
    else
      return real(apply(*this, ct));
  }
};

template <int Dim>
struct rfft_transpose_op;

/// The first n / 2 + 1 coefficients of the transform of n real numbers.
template <int Dim>
struct rfft_op : along_whole_dimension<Dim> {
  template <class T>
  using element = complex_t<T>;
  static constexpr shape extents(layout_value const&, shape x) {
    x[Dim] = half_spectrum(x[Dim]);
    return x;
  }
  template <int, class Ct, class Y, class X>
  static constexpr auto pullback(Ct const& ct, Y const&, X const& x) {
    return apply(rfft_transpose_op<Dim>{{}, x.extents()[Dim]}, ct);
  }
};

/// The base of operations from the coefficients k = 0 ... n / 2 to n real numbers.
template <int Dim>
struct from_half_spectrum : along_whole_dimension<Dim> {
  index_t n;
  constexpr explicit from_half_spectrum(along_whole_dimension<Dim> const&, index_t count) : n(count) {}
  template <class T>
  using element = component_t<T>;
  constexpr shape extents(layout_value const&, shape const& x) const {
    shape y = x;
    y[Dim] = n;
    shape expected = x;
    expected[Dim] = half_spectrum(n);
    if (n < 0 || !(expected == x))
      plan_detail::fail_other_extents("ashlar::inverse_rfft: the tensor has n / 2 + 1 coefficients for n real numbers",
                                      expected, x);
    return y;
  }
};

/// The real part of the sum over k of x_k exp(-2 pi i j k / n): the transpose of rfft_op.
template <int Dim>
struct rfft_transpose_op : from_half_spectrum<Dim> {
  using from_half_spectrum<Dim>::from_half_spectrum;
  template <int, class Ct, class Y, class X>
  static constexpr auto pullback(Ct const& ct, Y const&, X const&) {
    return apply(rfft_op<Dim>{}, ct);
  }
};

/// The conjugate of rfft, divided by n, and doubled except at k = 0 and k = n / 2: the transpose of inverse_rfft_op.
template <int Dim>
struct inverse_rfft_transpose_op;

template <int Dim>
struct inverse_rfft_op : from_half_spectrum<Dim> {
  using from_half_spectrum<Dim>::from_half_spectrum;
  template <int, class Ct, class Y, class X>
  static constexpr auto pullback(Ct const& ct, Y const&, X const&) {
    return apply(inverse_rfft_transpose_op<Dim>{}, ct);
  }
};

template <int Dim>
struct inverse_rfft_transpose_op : rfft_op<Dim> {
  template <int, class Ct, class Y, class X>
  static constexpr auto pullback(Ct const& ct, Y const&, X const& x) {
    return apply(inverse_rfft_op<Dim>{{}, x.extents()[Dim]}, ct);
  }
};

template <class X, int... Dims>
struct fft_operand {
  static constexpr bool dimensions = are_dimensions<rank_v<X>, Dims...>, elements = is_transformable_v<element_t<X>>,
                        ok = dimensions && elements;
  static constexpr void say() {
    static_assert(dimensions,
                  "ashlar::fft: the tensor has no such dimension; they count from 0, or from -1 at the end");
    static_assert(!dimensions || elements,
                  "ashlar::fft: elements are float, double or their complex numbers; write cast<double>(x)");
  }
};
template <class X>
struct rfft_elements {
  static constexpr bool ok = !is_complex_v<element_t<X>>;
  static constexpr void say() {
    static_assert(ok, "ashlar::rfft: the elements are complex; write fft, or rfft of real(x)");
  }
};
template <class X>
struct inverse_rfft_elements {
  static constexpr bool ok = is_complex_v<element_t<X>> || !is_transformable_v<element_t<X>>;
  static constexpr void say() {
    static_assert(
        ok, "ashlar::inverse_rfft: the elements are real, and coefficients are complex; write rfft for real elements");
  }
};

// op of x, if x has the dimension and elements that transforms take, and if the conditions hold.
template <int Dim, class... Conditions, class Op, class X>
constexpr auto transformed(Op const& op, X const& x) {
  return checked<Conditions..., fft_operand<X, Dim>>([&](auto const& y) { return apply(op, y); }, x);
}

}  // namespace ops_detail

/// The discrete Fourier transform along dimension Dim of each line, as numpy.fft.fft. Real tensors become complex.
/// Shape: the extents and the layout of x. Partial sums stay partial.
/// Pre: no axis shards the dimension.
/// Post: y_k = sum over j of x_j exp(-2 pi i j k / n)
/// Cost: no communication. The derivative is the same transform of the cotangent.
/// Error: a sharded dimension, a partial maximum and elements that are no numbers of float or double do not compile.
/// Example: fft<2>(x<layout<"p", "q", none>>) -> layout<"p", "q", none>
template <int Dim, tensor X>
constexpr auto fft(X const& x) {
  return ops_detail::transformed<Dim>(
      ops_detail::fft_op<plan_detail::dimension_of<X, Dim>, ops_detail::direction::forward>{}, x);
}

/// The inverse of fft, as numpy.fft.ifft.
/// Post: inverse_fft<D>(fft<D>(x)) equals x, up to rounding
/// Cost: no communication. The derivative is the same transform of the cotangent.
/// Error: as fft.
/// Example: inverse_fft<1>(fft<1>(x<layout<"p", none>>)) -> layout<"p", none>
template <int Dim, tensor X>
constexpr auto inverse_fft(X const& x) {
  return ops_detail::transformed<Dim>(
      ops_detail::fft_op<plan_detail::dimension_of<X, Dim>, ops_detail::direction::inverse>{}, x);
}

/// The first n / 2 + 1 coefficients of the transform of real lines, as numpy.fft.rfft.
/// Shape: the extent of the dimension becomes n / 2 + 1, rounded down; an extent of 0 stays 0.
/// Cost: no communication; half the work of fft.
/// Error: complex elements do not compile.
/// Example: rfft<1>(x<layout<"p", none>>) -> layout<"p", none>
template <int Dim, tensor X>
constexpr auto rfft(X const& x) {
  return ops_detail::transformed<Dim, ops_detail::rfft_elements<X>>(
      ops_detail::rfft_op<plan_detail::dimension_of<X, Dim>>{}, x);
}

/// The n real numbers of which rfft gives the coefficients, as numpy.fft.irfft. The imaginary parts of coefficient 0 and,
/// if n is even, of coefficient n / 2 are ignored.
/// Shape: the extent of the dimension becomes n.
/// Pre: the dimension has n / 2 + 1 coefficients, rounded down.
/// Cost: no communication; half the work of fft.
/// Error: real elements do not compile; another number of coefficients throws ashlar::error.
/// Example: inverse_rfft<1>(rfft<1>(x), x.extent(1))
template <int Dim, tensor X>
constexpr auto inverse_rfft(X const& x, ops_detail::index_argument n) {
  return ops_detail::transformed<Dim, ops_detail::inverse_rfft_elements<X>>(
      ops_detail::inverse_rfft_op<plan_detail::dimension_of<X, Dim>>({}, n), x);
}

}  // namespace ashlar
