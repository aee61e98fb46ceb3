// SPDX-License-Identifier: BSL-1.0
// Powers, trigonometric functions, rounding and limits, and numbers on the left of an operator.
#pragma once
#include "ashlar/ops/functions.hpp"

namespace ashlar {

namespace ops_detail::fn {

/// A number minus x.
template <class S>
struct subtracted_from {
  static constexpr linearity kind = linearity::nonlinear;
  S number;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T x) const {
    return number - x;
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const&) {
    return elementwise(negate{}, ct);
  }
};

/// A number divided by x.
template <class S>
struct divided_number {
  static constexpr linearity kind = linearity::nonlinear;
  S number;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T x) const {
    return divided(T(number), x);
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const& y, auto const& x) {
    return elementwise(negate{}, elementwise(divide{}, elementwise(multiply{}, ct, y), x));
  }
};

/// The sine, or the cosine.
template <bool Cosine>
struct sine {
  static constexpr linearity kind = linearity::nonlinear;
  template <class T>
  ASHLAR_FUNCTION T operator()(T x) const {
    return Cosine ? ops_detail::math_cos(x) : ops_detail::math_sin(x);
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const&, auto const& x) {
    if constexpr (Cosine)
      return elementwise(negate{}, elementwise(multiply{}, ct, elementwise(sine<false>{}, x)));
    else
      return elementwise(multiply{}, ct, elementwise(sine<true>{}, x));
  }
};

struct tan {
  static constexpr linearity kind = linearity::nonlinear;
  template <class T>
  ASHLAR_FUNCTION T operator()(T x) const {
    return ops_detail::math_sin(x) / ops_detail::math_cos(x);
  }
  template <int>
  static constexpr auto pullback(auto const& ct, auto const& y, auto const&) {
    return elementwise(tangent_pullback<false>{}, ct, y);
  }
};

/// The angle of the point (x, y).
struct atan2 {
  static constexpr linearity kind = linearity::nonlinear;
  template <class T>
  ASHLAR_FUNCTION T operator()(T y, T x) const {
    return ops_detail::math_atan2(y, x);
  }
  template <int I>
  static constexpr auto pullback(auto const& ct, auto const&, auto const& y, auto const& x) {
    auto const over_square =
        elementwise(divide{}, ct, elementwise(add{}, elementwise(square{}, y), elementwise(square{}, x)));
    if constexpr (I == 0)
      return elementwise(multiply{}, over_square, x);
    else
      return elementwise(negate{}, elementwise(multiply{}, over_square, y));
  }
};

/// x to the power of a number.
template <class S>
struct power {
  static constexpr linearity kind = linearity::nonlinear;
  S exponent;
  template <class T>
  ASHLAR_FUNCTION T operator()(T x) const {
    if constexpr (std::integral<T>) {  // exact, where a power of doubles would round
      T y(1);
      for (T n = exponent;; x = static_cast<T>(x * x)) {
        if (n % 2 != 0) y = static_cast<T>(y * x);
        n = static_cast<T>(n / 2);
        if (n == T(0)) return y;
      }
    } else {
      return ops_detail::math_pow(x, T(exponent));
    }
  }
  template <int>
  constexpr auto pullback(auto const& ct, auto const&, auto const& x) const {
    return elementwise(multiply{}, elementwise(scale<S>{exponent}, ct), elementwise(power{exponent - S(1)}, x));
  }
};

/// The largest whole number that is not above x.
struct floor {
  static constexpr linearity kind = linearity::nondecreasing;
  template <class T>
  ASHLAR_FUNCTION T operator()(T x) const {
    return ops_detail::math_floor(x);
  }
};

/// ct where x is inside of the limits, else 0.
template <class S>
struct where_inside {
  static constexpr linearity kind = linearity::linear_in_first;
  S low, high;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T ct, T x) const {
    return x >= low && x <= high ? ct : T(0);
  }
};
/// x, or the nearer limit if x is beyond one.
template <class S>
struct clamp {
  static constexpr linearity kind = linearity::nondecreasing;
  S low, high;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T x) const {
    return finite_math && is_nan(x) ? x : x < low ? low : x > high ? high : x;
  }
  template <int>
  constexpr auto pullback(auto const& ct, auto const&, auto const& x) const {
    return elementwise(where_inside<S>{low, high}, ct, x);
  }
};

/// The larger of x and a number, or the smaller one; NaN if one is NaN. If they are equal, the number gets the cotangent.
template <class Op, class S>
struct limit {
  static constexpr linearity kind = linearity::nondecreasing;
  S number;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T x) const {
    return Op::combine(number, x);
  }
  template <int>
  constexpr auto pullback(auto const& ct, auto const&, auto const& x) const {
    if constexpr (std::is_same_v<Op, op::max>)
      return elementwise(where_positive<>{}, ct, elementwise(lower<S>{number}, x));
    else
      return elementwise(where_positive<>{}, ct, elementwise(subtracted_from<S>{number}, x));
  }
};
template <class S>
using at_least = limit<op::max, S>;
template <class S>
using at_most = limit<op::min, S>;

}  // namespace ops_detail::fn

template <tensor A>
constexpr auto operator+(ops_detail::number_for<element_t<A>> s, A const& a) {
  return a + s;
}
template <tensor A>
constexpr auto operator-(ops_detail::number_for<element_t<A>> s, A const& a) {
  return ops_detail::arithmetic_with_number<ops_detail::fn::subtracted_from>(a, s);
}
template <tensor A>
constexpr auto operator/(ops_detail::number_for<element_t<A>> s, A const& a) {
  return ops_detail::arithmetic_with_number<ops_detail::fn::divided_number>(a, s);
}

/// The sine of each element, an angle in radians.
/// Error: integers do not compile.
/// Example: sin(x<layout<"data">>) -> layout<"data">
template <tensor A>
constexpr auto sin(A const& a) {
  static_assert(ops_detail::real_or_complex_elements<A>,
                "ashlar::sin: the elements are integers; write cast<double>(x)");
  return elementwise(ops_detail::fn::sine<false>{}, a);
}
/// The cosine of each element, an angle in radians.
/// Error: integers do not compile.
/// Example: cos(x<layout<"data">>) -> layout<"data">
template <tensor A>
constexpr auto cos(A const& a) {
  static_assert(ops_detail::real_or_complex_elements<A>,
                "ashlar::cos: the elements are integers; write cast<double>(x)");
  return elementwise(ops_detail::fn::sine<true>{}, a);
}
/// The tangent of each element, an angle in radians.
/// Error: integers do not compile.
/// Example: tan(x<layout<"data">>) -> layout<"data">
template <tensor A>
constexpr auto tan(A const& a) {
  static_assert(ops_detail::real_or_complex_elements<A>,
                "ashlar::tan: the elements are integers; write cast<double>(x)");
  return elementwise(ops_detail::fn::tan{}, a);
}

namespace ops_detail {

template <class Y, class X>
struct atan2_elements {
  static constexpr bool ok = real_or_complex_elements<Y> && real_or_complex_elements<X>;
  static constexpr void say() { static_assert(ok, "ashlar::atan2: the elements are integers; write cast<double>(x)"); }
};

// The last of n integers that begin at `first`.
template <class T>
constexpr void require_last_of(index_t n, T first, T step) {
  std::conditional_t<std::is_signed_v<T>, long long, unsigned long long> all_steps = 0;
  T last = 0;
  if (n > 0 && (__builtin_mul_overflow(n - 1, step, &all_steps) || __builtin_add_overflow(first, all_steps, &last)))
    meta_detail::fail("ashlar::arange: the elements cannot hold the last number; make a tensor of a wider type");
}

}  // namespace ops_detail

/// The angle of the point (x, y), from -pi to pi.
/// Error: integers do not compile.
/// Example: atan2(y<layout<"data">>, x<layout<"data">>) -> layout<"data">
template <tensor Y, tensor X>
constexpr auto atan2(Y const& y, X const& x) {
  return meta_detail::checked<ops_detail::atan2_elements<Y, X>>(
      [](auto const& a, auto const& b) { return ops_detail::arithmetic(ops_detail::fn::atan2{}, a, b); }, y, x);
}
/// Each element to the power of a number. The derivative at 0 is NaN or infinite if the exponent is below 1.
/// Error: a number that is no element does not compile, or throws ashlar::error, as for x * s. Integers to a negative
///   power throw ashlar::error.
/// Example: pow(x, 3.) of doubles
template <tensor A>
constexpr auto pow(A const& a, ops_detail::number_for<element_t<A>> exponent) {
  if constexpr (std::signed_integral<element_t<A>>)
    if (exponent.element() < 0)
      meta_detail::fail("ashlar::pow: integers have no negative powers; write cast<double>(x)");
  return ops_detail::arithmetic_with_number<ops_detail::fn::power>(a, exponent);
}
/// The largest whole numbers that are not above the elements; a tensor of integers is returned itself. It has no
/// derivative.
/// Example: floor(x<layout<"data">>) -> layout<"data">
template <tensor A>
constexpr auto floor(A const& a) {
  if constexpr (ops_detail::real_or_complex_elements<A>)
    return elementwise(ops_detail::fn::floor{}, a);
  else
    return a;
}
/// The larger of each element and a number; NaN if one is NaN. If they are equal, the derivative is 0.
/// Error: as x * s.
/// Example: maximum(x<layout<"data">>, 0.5) -> layout<"data">
template <tensor A>
constexpr auto maximum(A const& a, ops_detail::number_for<element_t<A>> s) {
  return ops_detail::arithmetic_with_number<ops_detail::fn::at_least>(a, s);
}
template <tensor A>
constexpr auto maximum(ops_detail::number_for<element_t<A>> s, A const& a) {
  return maximum(a, s);
}
/// The smaller of each element and a number; else as maximum.
/// Error: as x * s.
/// Example: minimum(1, x<layout<"data">>) -> layout<"data">
template <tensor A>
constexpr auto minimum(A const& a, ops_detail::number_for<element_t<A>> s) {
  return ops_detail::arithmetic_with_number<ops_detail::fn::at_most>(a, s);
}
template <tensor A>
constexpr auto minimum(ops_detail::number_for<element_t<A>> s, A const& a) {
  return minimum(a, s);
}
/// Elements beyond a limit become that limit. NaN stays NaN. The derivative beyond the limits is 0.
/// Pre: low <= high
/// Error: a limit that is no element does not compile, or throws ashlar::error, as for x * s.
/// Example: clamp(x<layout<"data">>, 0.f, 1.f) -> layout<"data">
template <tensor A>
constexpr auto clamp(A const& a, ops_detail::number_for<element_t<A>> low, ops_detail::number_for<element_t<A>> high) {
  return elementwise(ops_detail::fn::clamp<element_t<A>>{low.element(), high.element()}, a);
}

/// A tensor whose elements are all one number, abstract or real as the handle is. With a halo, given cells are the number, too.
/// Error: a partial layout does not compile: each rank's term would be the whole value. Nor does one whose halo is filled.
///   A floating value of integers or bool does not compile, nor a complex one of real elements. An integer that T cannot hold
///   throws ashlar::error.
/// Example: full<float, layout<"data", none>>(m, {128, 10}, 0.5f) -> layout<"data", none>
template <class T, class L, class Handle, std::size_t N>
constexpr auto full(Handle const& m, index_t const (&n)[N], ops_detail::number_for<T, true> value,
                    call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  T const element = value.element();
  auto x = plan_detail::allocate<T, L>(m, plan_detail::checked_extents<L>(n), w);
  using O = owned_layout_t<L>;
  constexpr bool unfilled = std::is_same_v<L, layout_detail::unfilled<L>>;
  static_assert(unfilled, "ashlar::full: the cells of a halo are not filled here; make H, and write exchange_halo(x)");
  static_assert(
      !plan_detail::layout_is_partial<O>::value,
      "ashlar::full: the layout is partial, and each rank would hold the whole value; make the layout without it, then write as_partial<axis>");
  plan_detail::note_argument_of_whole(x, "value", element, w);
  fill_elements(plan_detail::backend_on<Handle>{}, x, element);
  return x;
}
/// A tensor of zeros; else as full.
/// Example: zeros<float, layout<"data", none>>(m, {128, 10}) -> layout<"data", none>
template <class T, class L, class Handle, std::size_t N>
constexpr auto zeros(Handle const& m, index_t const (&n)[N], call_site w = call_site::current()) {
  return full<T, L>(m, n, T(0), w);
}
/// A tensor of ones; else as full.
/// Example: ones<float, layout<"data", none>>(m, {128, 10}) -> layout<"data", none>
template <class T, class L, class Handle, std::size_t N>
constexpr auto ones(Handle const& m, index_t const (&n)[N], call_site w = call_site::current()) {
  return full<T, L>(m, n, T(1), w);
}

/// The vector first, first + step, ... of n elements, abstract or real as the handle is.
/// Error: a partial layout, or one of another number of dimensions, does not compile. Numbers are checked as in full,
///   and ashlar::error is thrown if T is an integer type that cannot hold the last of them.
/// Example: arange<double, layout<"data">>(m, 11, 0., 0.1) -> layout<"data">
template <class T, class L, class Handle>
constexpr auto arange(Handle const& m, ops_detail::index_argument n, ops_detail::number_for<T, true> first = T(0),
                      ops_detail::number_for<T, true> step = T(1), call_site w = call_site::current()) {
  static_assert(
      !plan_detail::layout_is_partial<L>::value,
      "ashlar::arange: the layout is partial, and each rank would hold the whole value; make the layout without it, then write as_partial<axis>");
  plan_detail::call_in_errors const call(w);
  auto x = plan_detail::allocate<T, L>(m, plan_detail::checked_extents<L>({n}), w);
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    ops_detail::require_last_of(n, first.element(), step.element());
  fill_counting(plan_detail::backend_on<Handle>{}, x, first.element(), step.element());
  return x;
}

/// A tensor of one number with the layout, the element type, the extents and the mesh of another tensor. The halo of the result is
/// not filled.
/// Error: a partial layout does not compile, except for zeros_like of partial sums.
/// Example: auto sum_of_gradients = zeros_like(gradient);
template <tensor X>
constexpr auto full_like(X const& x, ops_detail::number_for<element_t<X>, true> value) {
  static_assert(
      !plan_detail::layout_is_partial<owned_layout_t<layout_t<X>>>::value,
      "ashlar::full_like: the tensor is partial, and each rank would hold the whole value; all_reduce it, or write zeros_like for a sum");
  return plan_detail::filled<element_t<X>, layout_detail::unfilled<layout_t<X>>>(x.mesh(), x.extents(),
                                                                                 value.element());
}
/// A tensor of ones that is like another one; else as full_like.
/// Example: ones_like(x<layout<"data", none>>) -> layout<"data", none>
template <tensor X>
constexpr auto ones_like(X const& x) {
  return full_like(x, element_t<X>(1));
}
/// A tensor of zeros that is like another one; else as full_like. Of a sum, partial or of halo cells, it is a sum.
/// Example: zeros_like(x<partial<layout<none>, "data">>) -> partial<layout<none>, "data">
template <tensor X>
constexpr auto zeros_like(X const& x) {
  using L = layout_t<X>;
  using like = std::conditional_t<layout_detail::has_halo_sums<L>, L, layout_detail::unfilled<L>>;
  if constexpr (layout_detail::partial_only_by(plan_detail::value_on<mesh_t<X>, owned_layout_t<L>>,
                                               layout_detail::op_sum))
    return plan_detail::filled<element_t<X>, like>(x.mesh(), x.extents(), element_t<X>(0));
  else
    return full_like(x, element_t<X>(0));
}

}  // namespace ashlar
