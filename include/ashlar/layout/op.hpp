// SPDX-License-Identifier: BSL-1.0
// Reductions by which a layout may be partial.
#pragma once
#include "ashlar/meta/nan.hpp"
#include <limits>
#include <type_traits>

namespace ashlar::layout_detail {

// The bounds of a type, as constants, because kernels may not call the functions of <limits>.
template <class T>
inline constexpr T least =
    std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T most =
    std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : (std::numeric_limits<T>::max)();

// Returns `chosen` of a and b, or NaN if one of them is NaN. If a alone is NaN, its comparison with b is false, and `chosen`
// is a already. This needs no branch, so loops are vectorised. Under -ffast-math the comparison says nothing then. The
// choice is among integers there, since the compiler may assume of numbers that none is NaN.
template <class T>
ASHLAR_FUNCTION constexpr T or_nan(T chosen, [[maybe_unused]] T a, [[maybe_unused]] T b) {
  if constexpr (finite_math && has_known_bits<T>) {
    auto const bits = [](T const& x) { return __builtin_bit_cast(bits_of<T>, x); };
    return __builtin_bit_cast(T, is_nan(b) ? bits(b) : is_nan(a) ? bits(a) : bits(chosen));
  } else if constexpr (std::is_floating_point_v<T>) {
    return is_nan(b) ? b : chosen;
  } else {
    return chosen;
  }
}

}  // namespace ashlar::layout_detail

/// Reductions, as types: `partial<L, "model", op::max>`. Each is a commutative monoid: `combine` is associative and
/// commutative (up to rounding), and `identity` is its neutral element. If one of the numbers is NaN, their maximum and
/// minimum are NaN. A user-defined type with the same two static members is a reduction too.
namespace ashlar::op {

/// The sum of all numbers.
/// Example: partial<layout<none>, "model", op::sum>, or partial<layout<none>, "model">
struct sum {
  template <class T>
  ASHLAR_FUNCTION static constexpr T identity() {
    return T(0);
  }
  template <class T>
  ASHLAR_FUNCTION static constexpr T combine(T a, T b) {
    return static_cast<T>(a + b);
  }
};
/// The largest number, or NaN if one is NaN.
/// Example: partial<layout<none>, "model", op::max>
struct max {
  template <class T>
  ASHLAR_FUNCTION static constexpr T identity() {
    return layout_detail::least<T>;
  }
  template <class T>
  ASHLAR_FUNCTION static constexpr T combine(T a, T b) {
    return layout_detail::or_nan(a < b ? b : a, a, b);
  }
};
/// The smallest number, or NaN if one is NaN.
/// Example: partial<layout<none>, "model", op::min>
struct min {
  template <class T>
  ASHLAR_FUNCTION static constexpr T identity() {
    return layout_detail::most<T>;
  }
  template <class T>
  ASHLAR_FUNCTION static constexpr T combine(T a, T b) {
    return layout_detail::or_nan(b < a ? b : a, a, b);
  }
};
/// The product of all numbers.
/// Example: partial<layout<none>, "model", op::prod>
struct prod {
  template <class T>
  ASHLAR_FUNCTION static constexpr T identity() {
    return T(1);
  }
  template <class T>
  ASHLAR_FUNCTION static constexpr T combine(T a, T b) {
    return static_cast<T>(a * b);
  }
};

}  // namespace ashlar::op

namespace ashlar::layout_detail {

/// True if elements of type T have the operator of the reduction Op. For a user-defined Op: if `combine` accepts them.
template <class Op, class T>
struct reduces_elements {
  static constexpr bool value = requires(T a) { Op::combine(a, a); };
};
template <class T>
struct reduces_elements<op::sum, T> {
  static constexpr bool value = requires(T a) { a + a; };
};
// 1 + 1 is no value of bool.
template <>
struct reduces_elements<op::sum, bool> {
  static constexpr bool value = false;
};
template <class T>
struct reduces_elements<op::prod, T> {
  static constexpr bool value = requires(T a) { a* a; };
};
template <class T>
struct reduces_elements<op::max, T> {
  static constexpr bool value = requires(T a) { a < a; };
};
template <class T>
struct reduces_elements<op::min, T> : reduces_elements<op::max, T> {};

}  // namespace ashlar::layout_detail
