// SPDX-License-Identifier: BSL-1.0
// The elementwise functions and operators of the language.
#pragma once
#include "ashlar/ops/elementwise.hpp"
#include "ashlar/ops/number.hpp"

namespace ashlar {

namespace ops_detail {

// Defined in kernels/math.hpp, for host and device. Only kernels call them.
template <class T>
ASHLAR_FUNCTION T math_exp(T x);
template <class T>
ASHLAR_FUNCTION T math_log(T x);
template <class T>
ASHLAR_FUNCTION T math_sqrt(T x);
template <class T>
ASHLAR_FUNCTION T math_tanh(T x);
template <class T>
ASHLAR_FUNCTION T math_erf(T x);
template <class T>
ASHLAR_FUNCTION T math_log1p(T x);
template <class T>
ASHLAR_FUNCTION T math_sin(T x);
template <class T>
ASHLAR_FUNCTION T math_cos(T x);
template <class T>
ASHLAR_FUNCTION T math_floor(T x);
template <class T>
ASHLAR_FUNCTION T math_pow(T x, T y);
template <class T>
ASHLAR_FUNCTION T math_atan2(T y, T x);

/// The quotient, rounded to 0 if it is of integers. Processors end the program in two cases: an integer divided by 0 is 0
/// here, and the least integer divided by -1 is itself, as in NumPy.
template <class T>
ASHLAR_FUNCTION constexpr T divided(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (b == T(0)) return T(0);
    if constexpr (std::is_signed_v<T>)
      if (b == T(-1)) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
  }
  return a / b;
}

}  // namespace ops_detail

namespace ops_detail::fn {

struct negate {
  static constexpr linearity kind = linearity::linear;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T x) const {
    return -x;
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const&) {
    return elementwise(negate{}, ct);
  }
};

template <class S>
struct scale {
  static constexpr linearity kind = linearity::linear;
  S factor;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T x) const {
    return x * factor;
  }
  template <int>
  constexpr auto pullback(auto const& ct, auto const&, auto const&) const {
    return elementwise(*this, ct);
  }
};

/// Divides by a number. Integer division rounds to 0, so no partial sum of integers may pass.
template <class S>
struct quotient {
  static constexpr linearity kind = std::numeric_limits<S>::is_integer ? linearity::nonlinear : linearity::linear;
  S divisor;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T x) const {
    return divided(x, T(divisor));
  }
  template <int>
  constexpr auto pullback(auto const& ct, auto const&, auto const&) const {
    return elementwise(*this, ct);
  }
};

/// Adds a number, or subtracts it: its negative may be no element. The identity of an integer max or min is the least or the
/// largest integer, and adding to it overflows. So no partial max or min of integers may pass.
template <class S, bool Subtracts = false>
struct shift {
  static constexpr linearity kind = std::floating_point<S> ? linearity::nondecreasing : linearity::nonlinear;
  S by;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T x) const {
    return Subtracts ? x - by : x + by;
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const&) {
    return ct;
  }
};
template <class S>
using raise = shift<S, false>;
template <class S>
using lower = shift<S, true>;

struct add {
  static constexpr linearity kind = linearity::linear;
  static constexpr char const* symbol = "+";
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T a, T b) const {
    return a + b;
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const&, auto const&) {
    return ct;
  }
};

struct subtract {
  static constexpr linearity kind = linearity::linear;
  static constexpr char const* symbol = "-";
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T a, T b) const {
    return a - b;
  }
  template <int I>
  static constexpr auto pullback(auto const& ct, auto const&, auto const&, auto const&) {
    if constexpr (I == 0)
      return ct;
    else
      return elementwise(negate{}, ct);
  }
};

/// The real part of a product of complex numbers: the cotangent of a real factor.
template <class R>
struct real_of_product {
  static constexpr linearity kind = linearity::multilinear;
  using result_type = R;
  template <class C>
  ASHLAR_FUNCTION constexpr R operator()(C a, C b) const {
    return a.real() * b.real() - a.imag() * b.imag();
  }
};

struct multiply {
  static constexpr linearity kind = linearity::multilinear;
  static constexpr char const* symbol = "*";
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T a, T b) const {
    return static_cast<T>(a * b);
  }
  template <class A, class B>
    requires(complex_of_real<A, B> || complex_of_real<B, A>)
  ASHLAR_FUNCTION constexpr auto operator()(A a, B b) const {
    return a * b;
  }
  template <int I>
  static constexpr auto pullback(auto const& ct, auto const&, auto const& a, auto const& b) {
    if constexpr (I == 0)
      return factor_pullback<element_t<decltype(a)>>(ct, b);
    else
      return factor_pullback<element_t<decltype(b)>>(ct, a);
  }

 private:
  template <class Factor, class Ct, class Other>
  static constexpr auto factor_pullback(Ct const& ct, Other const& other) {
    if constexpr (complex_of_real<element_t<Other>, Factor>)
      return elementwise(real_of_product<Factor>{}, ct, other);
    else
      return elementwise(multiply{}, ct, other);
  }
};

struct divide {
  static constexpr linearity kind = linearity::linear_in_first;
  static constexpr char const* symbol = "/";
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T a, T b) const {
    return divided(a, b);
  }
  template <int I>
  static constexpr auto pullback(auto const& ct, auto const& y, auto const&, auto const& b) {
    if constexpr (I == 0)
      return elementwise(divide{}, ct, b);
    else
      return elementwise(negate{}, elementwise(divide{}, elementwise(multiply{}, ct, y), b));
  }
};

/// ct if x > 0, or if it is not, else 0. The first is the pullback of relu.
template <bool Positive = true>
struct where_positive {
  static constexpr linearity kind = linearity::linear_in_first;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T ct, T x) const {
    return (x > T(0)) == Positive ? ct : T(0);
  }
};

struct relu {
  static constexpr linearity kind = linearity::nondecreasing;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T x) const {
    return x < T(0) ? T(0) : x;
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const& x) {
    return elementwise(where_positive<>{}, ct, x);
  }
};

struct exp {
  static constexpr linearity kind = linearity::nondecreasing;
  template <class T>
  ASHLAR_FUNCTION T operator()(T x) const {
    return ops_detail::math_exp(x);
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const& y, auto const&) {
    return elementwise(multiply{}, ct, y);
  }
};

/// log and sqrt are monotone, but one rank's partial maximum may be negative; so no partial maximum may pass.
struct log {
  static constexpr linearity kind = linearity::nonlinear;
  template <class T>
  ASHLAR_FUNCTION T operator()(T x) const {
    return ops_detail::math_log(x);
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const& x) {
    return elementwise(divide{}, ct, x);
  }
};

struct sqrt {
  static constexpr linearity kind = linearity::nonlinear;
  template <class T>
  ASHLAR_FUNCTION T operator()(T x) const {
    return ops_detail::math_sqrt(x);
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const& y, auto const&) {
    using T = element_t<decltype(ct)>;
    return elementwise(divide{}, elementwise(scale<T>{T(0.5)}, ct), y);
  }
};

/// ct (1 - y^2), the pullback of tanh from its value y, or ct (1 + y^2), the pullback of tan.
template <bool Hyperbolic>
struct tangent_pullback {
  static constexpr linearity kind = linearity::linear_in_first;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T ct, T y) const {
    return ct * (Hyperbolic ? T(1) - y * y : T(1) + y * y);
  }
};

struct tanh {
  static constexpr linearity kind = linearity::nondecreasing;
  template <class T>
  ASHLAR_FUNCTION T operator()(T x) const {
    return ops_detail::math_tanh(x);
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const& y, auto const&) {
    return elementwise(tangent_pullback<true>{}, ct, y);
  }
};

struct square {
  static constexpr linearity kind = linearity::nonlinear;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T x) const {
    return static_cast<T>(x * x);
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const& x) {
    using T = element_t<decltype(ct)>;
    return elementwise(multiply{}, elementwise(scale<T>{T(2)}, ct), x);
  }
};

struct abs {
  static constexpr linearity kind = linearity::nonlinear;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T x) const {
    return x > T(0) ? x : T(0) - x;  // -0. becomes 0
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const& x) {
    return elementwise(subtract{}, elementwise(where_positive<>{}, ct, x),
                       elementwise(where_positive<>{}, ct, elementwise(negate{}, x)));
  }
};

/// The larger operand, or the smaller one; NaN if one is NaN. If they are equal, the second one gets the cotangent.
template <class Op>
struct larger_or_smaller {
  static constexpr linearity kind = linearity::nonlinear;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T a, T b) const {
    return Op::combine(b, a);
  }
  template <int I>
  static constexpr auto pullback(auto const& ct, auto const&, auto const& a, auto const& b) {
    if constexpr (std::is_same_v<Op, op::max>)
      return elementwise(where_positive<I == 0>{}, ct, elementwise(subtract{}, a, b));
    else
      return elementwise(where_positive<I == 0>{}, ct, elementwise(subtract{}, b, a));
  }
};
using maximum = larger_or_smaller<op::max>;
using minimum = larger_or_smaller<op::min>;

/// Converts a cotangent. If it is partial, each term is rounded by itself, as sums are rounded anyway.
template <class To>
struct cast_cotangent {
  static constexpr linearity kind = linearity::linear;
  using result_type = To;
  template <class From>
  ASHLAR_FUNCTION constexpr To operator()(From x) const {
    return static_cast<To>(x);
  }
};

/// Converts the element type. It is linear if To holds every value of From exactly; then partial sums may pass.
template <class To, class From>
struct cast {
  using to = std::numeric_limits<ops_detail::component_t<To>>;
  using from = std::numeric_limits<ops_detail::component_t<From>>;
  static constexpr bool exact = to::is_specialized && from::is_specialized && to::digits >= from::digits &&
                                (from::is_integer || !to::is_integer) && (to::is_signed || !from::is_signed);
  static constexpr linearity kind = exact ? linearity::linear : linearity::nonlinear;
  using result_type = To;
  ASHLAR_FUNCTION constexpr To operator()(From x) const { return static_cast<To>(x); }
  template <int>
    requires(!to::is_integer && !from::is_integer)
  static constexpr auto pullback(auto const& ct, auto const&, auto const&) {
    return elementwise(cast_cotangent<From>{}, ct);
  }
};

}  // namespace ops_detail::fn

/// A tensor: plain (abstract, real or a lazy expression) or active.
template <class X>
concept tensor = requires {
  typename plan_detail::plain_t<X>::element_type;
  typename plan_detail::plain_t<X>::layout_type;
  typename plan_detail::plain_t<X>::mesh_type;
};

namespace ops_detail {

// A real factor leaves the product complex.
template <class R, class C>
  requires complex_of_real<C, R>
struct element_of<fn::multiply, R, C> {
  using type = C;
};

/// A tensor whose elements hold what functions of real numbers give. Integers would round it.
template <class X>
concept real_or_complex_elements = !std::integral<element_t<X>>;

/// Tensors of type bool.
template <class... X>
concept masks = (std::same_as<element_t<X>, bool> && ...);

// An elementwise function of two operands of one element type.
template <class A, class B>
struct arithmetic_elements {
  static constexpr bool ok = std::is_same_v<element_t<A>, element_t<B>>;
  static constexpr void say() {
    static_assert(ok,
                  "ashlar::elementwise: the operands have different element types; write cast<T>(x) for one of them");
  }
};
template <class F, class A, class B>
constexpr auto arithmetic(F const& f, A const& a, B const& b) {
  return checked<arithmetic_elements<A, B>>([&](auto const& x, auto const& y) { return elementwise(f, x, y); }, a, b);
}

template <class A>
struct arithmetic_of_numbers {
  static constexpr bool ok = !masks<A>;
  static constexpr void say() {
    static_assert(ok, "ashlar::elementwise: the elements are bool, which is no number; write cast<int>(mask)");
  }
};
template <class T>
constexpr void refuse_to_divide_by_zero(number_for<T> const& s) {
  if constexpr (std::is_integral_v<T>)
    if (s.outside() == 0 && s.element_if_inside() == T(0))
      meta_detail::fail("ashlar::elementwise: integers are not divided by the number 0; write cast<double>(x)");
}
/// A tensor and a number, by the function F<element> of the number.
template <template <class> class F, class A>
constexpr auto arithmetic_with_number(A const& a, number_for<element_t<A>> const& s) {
  return checked<arithmetic_of_numbers<A>>(
      [&]<class X>(X const& x) { return elementwise(F<element_t<X>>{s.element()}, x); }, a);
}

template <class X>
struct mean_elements {
  static constexpr bool ok = real_or_complex_elements<X>;
  static constexpr void say() { static_assert(ok, "ashlar::mean: the elements are integers; write cast<double>(x)"); }
};

}  // namespace ops_detail

template <tensor A, tensor B>
constexpr auto operator+(A const& a, B const& b) {
  return ops_detail::arithmetic(ops_detail::fn::add{}, a, b);
}
template <tensor A, tensor B>
constexpr auto operator-(A const& a, B const& b) {
  static_assert(!ops_detail::masks<A, B>,
                "ashlar::elementwise: elements of type bool have no difference; write cast<int>(x)");
  return ops_detail::arithmetic(ops_detail::fn::subtract{}, a, b);
}
/// The product of corresponding elements. One factor may be complex and the other real, of the same precision.
template <tensor A, tensor B>
constexpr auto operator*(A const& a, B const& b) {
  if constexpr (ops_detail::complex_of_real<element_t<A>, element_t<B>> ||
                ops_detail::complex_of_real<element_t<B>, element_t<A>>)
    return elementwise(ops_detail::fn::multiply{}, a, b);
  else
    return ops_detail::arithmetic(ops_detail::fn::multiply{}, a, b);
}
/// The quotient of corresponding elements. Of integers it rounds to 0. An integer divided by 0 is 0, and the least one
/// divided by -1 is itself.
template <tensor A, tensor B>
constexpr auto operator/(A const& a, B const& b) {
  static_assert(!ops_detail::masks<A, B>,
                "ashlar::elementwise: elements of type bool have no quotient; write cast<double>(x)");
  return ops_detail::arithmetic(ops_detail::fn::divide{}, a, b);
}
template <tensor A>
constexpr auto operator-(A const& a) {
  static_assert(!ops_detail::masks<A>,
                "ashlar::elementwise: elements of type bool have no negative; write cast<int>(x)");
  return elementwise(ops_detail::fn::negate{}, a);
}

/// A tensor and a number. The number becomes an element: a real one takes the precision of floating or complex elements.
/// Error: a floating number beside integers does not compile, nor a complex one beside real elements, nor any beside
///   bool: write cast<double>(x). An integer that the elements cannot hold throws ashlar::error, as does a division by 0.
/// Example: cast<double>(pixels) / 255.
template <tensor A>
constexpr auto operator*(A const& a, ops_detail::number_for<element_t<A>> s) {
  return ops_detail::arithmetic_with_number<ops_detail::fn::scale>(a, s);
}
template <tensor A>
constexpr auto operator*(ops_detail::number_for<element_t<A>> s, A const& a) {
  return a * s;
}
template <tensor A>
constexpr auto operator/(A const& a, ops_detail::number_for<element_t<A>> s) {
  ops_detail::refuse_to_divide_by_zero(s);
  return ops_detail::arithmetic_with_number<ops_detail::fn::quotient>(a, s);
}
template <tensor A>
constexpr auto operator+(A const& a, ops_detail::number_for<element_t<A>> s) {
  return ops_detail::arithmetic_with_number<ops_detail::fn::raise>(a, s);
}
template <tensor A>
constexpr auto operator-(A const& a, ops_detail::number_for<element_t<A>> s) {
  return ops_detail::arithmetic_with_number<ops_detail::fn::lower>(a, s);
}

/// The larger of each element and 0. The derivative at 0 is 0.
/// Example: relu(x<layout<"data", none>>) -> layout<"data", none>
template <tensor A>
constexpr auto relu(A const& a) {
  return elementwise(ops_detail::fn::relu{}, a);
}
/// The exponential function of each element.
/// Error: integers do not compile.
/// Example: exp(x<layout<"data">>) -> layout<"data">
template <tensor A>
constexpr auto exp(A const& a) {
  static_assert(ops_detail::real_or_complex_elements<A>,
                "ashlar::exp: the elements are integers; write cast<double>(x)");
  return elementwise(ops_detail::fn::exp{}, a);
}
/// The natural logarithm of each element.
/// Error: integers do not compile.
/// Example: log(x<layout<"data">>) -> layout<"data">
template <tensor A>
constexpr auto log(A const& a) {
  static_assert(ops_detail::real_or_complex_elements<A>,
                "ashlar::log: the elements are integers; write cast<double>(x)");
  return elementwise(ops_detail::fn::log{}, a);
}
/// The square root of each element.
/// Error: integers do not compile.
/// Example: sqrt(x<layout<"data">>) -> layout<"data">
template <tensor A>
constexpr auto sqrt(A const& a) {
  static_assert(ops_detail::real_or_complex_elements<A>,
                "ashlar::sqrt: the elements are integers; write cast<double>(x)");
  return elementwise(ops_detail::fn::sqrt{}, a);
}
/// The hyperbolic tangent of each element.
/// Error: integers do not compile.
/// Example: tanh(x<layout<"data">>) -> layout<"data">
template <tensor A>
constexpr auto tanh(A const& a) {
  static_assert(ops_detail::real_or_complex_elements<A>,
                "ashlar::tanh: the elements are integers; write cast<double>(x)");
  return elementwise(ops_detail::fn::tanh{}, a);
}
/// Each element times itself.
/// Example: square(x<layout<"data">>) -> layout<"data">
template <tensor A>
constexpr auto square(A const& a) {
  return elementwise(ops_detail::fn::square{}, a);
}
/// The absolute value of each element. Its derivative at 0 is 0.
/// Example: abs(x<layout<"data">>) -> layout<"data">
template <tensor A>
constexpr auto abs(A const& a) {
  return elementwise(ops_detail::fn::abs{}, a);
}
/// The larger element of two tensors, or of one tensor that is broadcast to the other.
/// Example: maximum(x<layout<"data", none>>, y<layout<none>>) -> layout<"data", none>
template <tensor A, tensor B>
constexpr auto maximum(A const& a, B const& b) {
  return ops_detail::arithmetic(ops_detail::fn::maximum{}, a, b);
}
/// The smaller element of two tensors, or of one tensor that is broadcast to the other.
/// Example: minimum(x<layout<"data", none>>, y<layout<none>>) -> layout<"data", none>
template <tensor A, tensor B>
constexpr auto minimum(A const& a, B const& b) {
  return ops_detail::arithmetic(ops_detail::fn::minimum{}, a, b);
}
/// Converts the elements to type To.
/// Example: cast<double>(x<layout<"data">>) -> layout<"data">
template <class To, tensor A>
constexpr auto cast(A const& a) {
  return elementwise(ops_detail::fn::cast<To, element_t<A>>{}, a);
}

/// Mean over dimensions, or over all if none is given: the sum, divided by the global number of elements.
/// Error: integers do not compile.
/// Example: mean<0>(x<layout<"data", "model">>) -> partial<layout<"model">, "data">
template <int... Dims, tensor X>
constexpr auto mean(X const& x) {
  return meta_detail::checked<ops_detail::mean_elements<X>, ops_detail::reduce_dimensions<rank_v<X>, Dims...>>(
      []<class Y>(Y const& y) {
        index_t n = sizeof...(Dims) ? 1 : y.extents().size();
        ((n *= y.extents()[plan_detail::dimension_of<Y, Dims>]), ...);
        using T = element_t<Y>;
        return elementwise(ops_detail::fn::quotient<T>{T(static_cast<ops_detail::component_t<T>>(n))}, sum<Dims...>(y));
      },
      x);
}
template <int... Dims, tensor X>
constexpr auto mean(X const& x, ops_detail::keep_dims_t) {
  return ops_detail::with_dims_kept<X, Dims...>(mean<Dims...>(x));
}

}  // namespace ashlar
