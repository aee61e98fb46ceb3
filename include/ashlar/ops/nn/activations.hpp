// SPDX-License-Identifier: BSL-1.0
// Activation functions other than relu and tanh.
#pragma once
#include "ashlar/ops/functions.hpp"

namespace ashlar::ops_detail {

/// 1 / (1 + exp(-x)), without overflow, and without cancellation far from 0.
template <class T>
ASHLAR_FUNCTION T logistic(T x) {
  T const e = math_exp(x < T(0) ? x : -x);
  return (x < T(0) ? e : T(1)) / (T(1) + e);
}

template <class X>
struct leaky_relu_elements {
  static constexpr bool ok = real_or_complex_elements<X>;
  static constexpr void say() {
    static_assert(ok, "ashlar::nn::leaky_relu: the elements are integers; write cast<double>(x)");
  }
};

}  // namespace ashlar::ops_detail

namespace ashlar::ops_detail::fn {

/// ct y (1 - y): the pullback of sigmoid, from its value y.
struct sigmoid_pullback {
  static constexpr linearity kind = linearity::linear_in_first;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T ct, T y) const {
    return ct * y * (T(1) - y);
  }
};

struct sigmoid {
  static constexpr linearity kind = linearity::nondecreasing;
  template <class T>
  ASHLAR_FUNCTION T operator()(T x) const {
    return ops_detail::logistic(x);
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const& y, auto const&) {
    return elementwise(sigmoid_pullback{}, ct, y);
  }
};

/// ct times the slope of F at x.
template <class F>
struct slope_pullback {
  static constexpr linearity kind = linearity::linear_in_first;
  F f;
  template <class T>
  ASHLAR_FUNCTION T operator()(T ct, T x) const {
    return ct * f.slope(x);
  }
};

/// x times the standard normal distribution function of x.
struct gelu {
  static constexpr linearity kind = linearity::nonlinear;
  template <class T>
  ASHLAR_FUNCTION static T distribution(T x) {
    return T(0.5) * (T(1) + ops_detail::math_erf(x * T(0.70710678118654752440)));
  }
  template <class T>
  ASHLAR_FUNCTION T operator()(T x) const {
    return x * distribution(x);
  }
  template <class T>
  ASHLAR_FUNCTION T slope(T x) const {
    return distribution(x) + x * T(0.39894228040143267794) * ops_detail::math_exp(T(-0.5) * x * x);
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const& x) {
    return elementwise(slope_pullback<gelu>{}, ct, x);
  }
};

/// x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2, computed by a logistic function, which needs one exponential.
struct gelu_tanh {
  static constexpr linearity kind = linearity::nonlinear;
  template <class T>
  ASHLAR_FUNCTION T operator()(T x) const {
    return x * ops_detail::logistic(T(1.59576912160573071176) * x * (T(1) + T(0.044715) * x * x));
  }
  template <class T>
  ASHLAR_FUNCTION T slope(T x) const {
    T const s = ops_detail::logistic(T(1.59576912160573071176) * x * (T(1) + T(0.044715) * x * x));
    return s + x * s * (T(1) - s) * T(1.59576912160573071176) * (T(1) + T(3 * 0.044715) * x * x);
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const& x) {
    return elementwise(slope_pullback<gelu_tanh>{}, ct, x);
  }
};

struct silu {
  static constexpr linearity kind = linearity::nonlinear;
  template <class T>
  ASHLAR_FUNCTION T operator()(T x) const {
    return x * ops_detail::logistic(x);
  }
  template <class T>
  ASHLAR_FUNCTION T slope(T x) const {
    T const s = ops_detail::logistic(x);
    return s * (T(1) + x * (T(1) - s));
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const& x) {
    return elementwise(slope_pullback<silu>{}, ct, x);
  }
};

template <class S>
struct leaky_relu {
  static constexpr linearity kind = linearity::nonlinear;  // a negative factor reverses the order
  S factor;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T x) const {
    return x > T(0) ? x : x * factor;
  }
  template <class T>
  ASHLAR_FUNCTION constexpr T slope(T x) const {
    return x > T(0) ? T(1) : factor;
  }
  template <int>
  constexpr auto pullback(auto const& ct, auto const&, auto const& x) const {
    return elementwise(slope_pullback<leaky_relu>{*this}, ct, x);
  }
};

}  // namespace ashlar::ops_detail::fn

namespace ashlar::nn {

/// 1 / (1 + exp(-x)).
/// Error: integers do not compile.
/// Example: nn::sigmoid(x<layout<"data", none>>) -> layout<"data", none>
template <tensor A>
constexpr auto sigmoid(A const& a) {
  static_assert(ops_detail::real_or_complex_elements<A>,
                "ashlar::nn::sigmoid: the elements are integers; write cast<double>(x)");
  return elementwise(ops_detail::fn::sigmoid{}, a);
}
/// x times the standard normal distribution function of x, exact.
/// Error: integers do not compile.
/// Example: nn::gelu(x<layout<"data", none>>) -> layout<"data", none>
/// Source: Hendrycks and Gimpel, Gaussian error linear units, arXiv:1606.08415.
template <tensor A>
constexpr auto gelu(A const& a) {
  static_assert(ops_detail::real_or_complex_elements<A>,
                "ashlar::nn::gelu: the elements are integers; write cast<double>(x)");
  return elementwise(ops_detail::fn::gelu{}, a);
}
/// gelu with the distribution function approximated by a hyperbolic tangent. The error is less than 0.0005.
/// Error: integers do not compile.
/// Example: nn::gelu_tanh(x<layout<"data", none>>) -> layout<"data", none>
template <tensor A>
constexpr auto gelu_tanh(A const& a) {
  static_assert(ops_detail::real_or_complex_elements<A>,
                "ashlar::nn::gelu_tanh: the elements are integers; write cast<double>(x)");
  return elementwise(ops_detail::fn::gelu_tanh{}, a);
}
/// x sigmoid(x).
/// Error: integers do not compile.
/// Example: nn::silu(x<layout<"data", none>>) -> layout<"data", none>
template <tensor A>
constexpr auto silu(A const& a) {
  static_assert(ops_detail::real_or_complex_elements<A>,
                "ashlar::nn::silu: the elements are integers; write cast<double>(x)");
  return elementwise(ops_detail::fn::silu{}, a);
}

/// x if x > 0, else factor * x.
/// Error: integers do not compile.
/// Example: nn::leaky_relu(x<layout<"data", none>>, 0.1f) -> layout<"data", none>
template <tensor A>
constexpr auto leaky_relu(A const& a, ops_detail::number_for<element_t<A>> factor) {
  return meta_detail::checked<ops_detail::leaky_relu_elements<A>>(
      [&](auto const& x) { return ops_detail::arithmetic_with_number<ops_detail::fn::leaky_relu>(x, factor); }, a);
}

}  // namespace ashlar::nn
