// SPDX-License-Identifier: BSL-1.0
// The parts and the conjugate of complex tensors.
#pragma once
#include "ashlar/ops/functions.hpp"

namespace ashlar {

namespace ops_detail {

/// True for complex types: std's and Kokkos'.
template <class T>
inline constexpr bool is_complex_v = !std::is_same_v<component_t<T>, T>;

/// Defined in kernels/math.hpp, as the functions of functions.hpp.
template <class T>
ASHLAR_FUNCTION T math_hypot(T x, T y);

template <class X>
struct imag_elements {
  static constexpr bool ok = is_complex_v<element_t<X>>;
  static constexpr void say() {
    static_assert(ok, "ashlar::imag: the elements are real, and have no imaginary part; write zeros_like(x)");
  }
};

}  // namespace ops_detail

namespace ops_detail::fn {

// These functions are linear over the real numbers, so partial sums may pass. The cotangent of a complex number x is the
// number g for which the value changes by the real part of g dx.
struct conjugate {
  static constexpr linearity kind = linearity::linear;
  template <class C>
  ASHLAR_FUNCTION constexpr C operator()(C x) const {
    return C(x.real(), -x.imag());
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const&) {
    return elementwise(conjugate{}, ct);
  }
};

template <class R, bool Imaginary>
struct part;

/// The complex number x, or -x i, of a real x: the cotangents of a real and of an imaginary part.
template <class C, bool Imaginary>
struct as_complex {
  static constexpr linearity kind = linearity::linear;
  using result_type = C;
  using complex_result = C;
  template <class R>
  ASHLAR_FUNCTION constexpr C operator()(R x) const {
    return Imaginary ? C(R(0), -x) : C(x, R(0));
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const&) {
    return elementwise(part<component_t<C>, Imaginary>{}, ct);
  }
};

template <class R, bool Imaginary>
struct part {
  static constexpr linearity kind = linearity::linear;
  using result_type = R;
  template <class C>
  ASHLAR_FUNCTION constexpr R operator()(C x) const {
    return Imaginary ? x.imag() : x.real();
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const& x) {
    return elementwise(as_complex<element_t<decltype(x)>, Imaginary>{}, ct);
  }
};

/// conj(x) / |x|, and 0 at 0: |x| changes by the real part of its product with dx.
struct conjugate_direction {
  static constexpr linearity kind = linearity::nonlinear;
  template <class C>
  ASHLAR_FUNCTION C operator()(C x) const {
    auto const length = math_hypot(x.real(), x.imag());
    return length > 0 ? C(x.real() / length, -x.imag() / length) : C(0);
  }
};

template <class R>
struct magnitude {
  static constexpr linearity kind = linearity::nonlinear;
  using result_type = R;
  template <class C>
  ASHLAR_FUNCTION R operator()(C x) const {
    return math_hypot(x.real(), x.imag());
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const& x) {
    return elementwise(multiply{}, ct, elementwise(conjugate_direction{}, x));
  }
};

}  // namespace ops_detail::fn

/// The conjugate of each element; a real tensor is returned itself. Its derivative conjugates the cotangent.
/// Example: auto const power = real(conj(y) * y);
template <tensor X>
constexpr auto conj(X const& x) {
  if constexpr (ops_detail::is_complex_v<element_t<X>>)
    return elementwise(ops_detail::fn::conjugate{}, x);
  else
    return x;
}
/// The real part of each element; a real tensor is returned itself.
/// Example: auto const u = real(inverse_fft<0>(coefficients));
template <tensor X>
constexpr auto real(X const& x) {
  if constexpr (ops_detail::is_complex_v<element_t<X>>)
    return elementwise(ops_detail::fn::part<ops_detail::component_t<element_t<X>>, false>{}, x);
  else
    return x;
}

/// The imaginary part of each element.
/// Error: real elements do not compile.
/// Example: auto const phase = atan2(imag(y), real(y));
template <tensor X>
constexpr auto imag(X const& x) {
  return meta_detail::checked<ops_detail::imag_elements<X>>(
      []<class Y>(Y const& y) {
        return elementwise(ops_detail::fn::part<ops_detail::component_t<element_t<Y>>, true>{}, y);
      },
      x);
}

/// The absolute value of each element, a real number. Its derivative at 0 is 0.
/// Example: abs(fft<0>(x)) is the spectrum of x
template <tensor X>
  requires ops_detail::is_complex_v<element_t<X>>
constexpr auto abs(X const& x) {
  return elementwise(ops_detail::fn::magnitude<ops_detail::component_t<element_t<X>>>{}, x);
}

}  // namespace ashlar
