// SPDX-License-Identifier: BSL-1.0
// Comparisons, whose results are masks of elements of type bool, and the choice by a mask.
#pragma once
#include "ashlar/ops/functions.hpp"

namespace ashlar {

namespace ops_detail::fn {

enum class relation { less, less_or_equal, equal, not_equal };
template <relation R>
struct comparison {
  static constexpr linearity kind = linearity::nonlinear;
  static constexpr bool needs_order = R == relation::less || R == relation::less_or_equal;
  static constexpr char const* symbol = R == relation::less            ? "<"
                                        : R == relation::less_or_equal ? "<="
                                        : R == relation::equal         ? "=="
                                                                       : "!=";
  using result_type = bool;
  template <class T>
  ASHLAR_FUNCTION constexpr bool operator()(T a, T b) const {
    if constexpr (R == relation::less)
      return a < b;
    else if constexpr (R == relation::less_or_equal)
      return a <= b;
    else
      return (a == b) == (R == relation::equal);
  }
};
using less = comparison<relation::less>;
using less_or_equal = comparison<relation::less_or_equal>;
using equal = comparison<relation::equal>;
using not_equal = comparison<relation::not_equal>;

/// A comparison with a number on the right, or on the left. A number beyond the elements is below all of them if
/// `outside` is -1, and above them if it is 1.
template <class F, bool Left, class S>
struct compared_with {
  static constexpr linearity kind = linearity::nonlinear;
  using result_type = bool;
  S number;
  int outside = 0;
  template <class T>
  ASHLAR_FUNCTION constexpr bool operator()(T x) const {
    if constexpr (std::is_integral_v<T>)
      if (outside != 0) return Left ? F{}(outside, 0) : F{}(0, outside);
    return Left ? F{}(T(number), x) : F{}(x, T(number));
  }
};

/// A cotangent if the mask is `If`, else 0.
template <bool If>
struct keep_if {
  static constexpr linearity kind = linearity::linear_in_first;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T ct, bool mask) const {
    return mask == If ? ct : T(0);
  }
};

/// The second operand if the mask is true, else the third.
template <class T>
struct choose {
  static constexpr linearity kind = linearity::linear_in_rest;
  using result_type = T;
  ASHLAR_FUNCTION constexpr T operator()(bool mask, T a, T b) const { return mask ? a : b; }
  template <int I>
    requires(I > 0)
  static constexpr auto pullback(auto const& ct, auto const&, auto const& mask, auto const&, auto const&) {
    return elementwise(keep_if<I == 1>{}, ct, mask);
  }
};

/// The operand if the mask is `If`, else a number.
template <bool If, class S>
struct choose_or_number {
  static constexpr linearity kind = linearity::nonlinear;
  S number;
  template <class T>
  ASHLAR_FUNCTION constexpr T operator()(T x, bool mask) const {
    return mask == If ? x : T(number);
  }
  template <int I>
    requires(I == 0)
  static constexpr auto pullback(auto const& ct, auto const&, auto const&, auto const& mask) {
    return elementwise(keep_if<If>{}, ct, mask);
  }
};

template <class T>
struct choose_number {
  static constexpr linearity kind = linearity::nonlinear;
  using result_type = T;
  T if_true, if_false;
  ASHLAR_FUNCTION constexpr T operator()(bool mask) const { return mask ? if_true : if_false; }
};

}  // namespace ops_detail::fn

namespace ops_detail {

template <class T>
inline constexpr bool is_ordered = requires(T a) { a < a; };
template <class F, class A>
struct compared_elements_have_an_order {
  static constexpr bool ok = is_ordered<element_t<A>> || !F::needs_order;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::elementwise: elements of this type have no order; compare by == or !=, or compare their parts or absolute values");
  }
};

// A comparison has no derivative, so active tensors are compared as plain ones.
template <class F, class A, class B>
constexpr auto compare(A const& a, B const& b) {
  return checked<compared_elements_have_an_order<F, A>>(
      [](auto const& x, auto const& y) { return arithmetic(F{}, x, y); }, stop_gradient(a), stop_gradient(b));
}
template <class F, bool Left, class A>
constexpr auto compare_with(A const& a, number_for<element_t<A>> const& s) {
  using compared = fn::compared_with<F, Left, element_t<A>>;
  return checked<compared_elements_have_an_order<F, A>>(
      [&](auto const& x) {
        return elementwise(compared{s.element_if_inside(), s.outside()}, x);
      },
      stop_gradient(a));
}

template <class Mask>
struct where_mask {
  static constexpr bool ok = masks<Mask>;
  static constexpr void say() {
    static_assert(
        ok, "ashlar::where: the elements of the mask are not of type bool; write a comparison, such as mask != 0");
  }
};
template <class A, class B>
struct where_elements {
  static constexpr bool ok = std::is_same_v<element_t<A>, element_t<B>>;
  static constexpr void say() {
    static_assert(ok, "ashlar::where: the operands have different element types; write cast<T>(x) for one of them");
  }
};

}  // namespace ops_detail

/// Comparisons of tensors, or of a tensor and a number, element by element. The result is a mask: a tensor of bool.
/// Shape: as of an elementwise function of two operands, with broadcasting.
/// Cost: no communication. A mask has no derivative: an active operand is compared by its value.
/// Integers are compared as numbers, whatever the types: no element of type unsigned is -1.
/// Error: a partial operand does not compile; all_reduce it first. A floating number beside integers or bool does not
///   compile; write cast<double>(x) < 2.5. A mask is not `true` or `false`: `if (x == y)` does
///   not compile.
/// Example: sum(cast<int>(x > 0.5f)) counts elements; where(x < y, x, y) is the smaller ones
template <tensor A, tensor B>
constexpr auto operator<(A const& a, B const& b) {
  return ops_detail::compare<ops_detail::fn::less>(a, b);
}
template <tensor A, tensor B>
constexpr auto operator<=(A const& a, B const& b) {
  return ops_detail::compare<ops_detail::fn::less_or_equal>(a, b);
}
template <tensor A, tensor B>
constexpr auto operator>(A const& a, B const& b) {
  return ops_detail::compare<ops_detail::fn::less>(b, a);
}
template <tensor A, tensor B>
constexpr auto operator>=(A const& a, B const& b) {
  return ops_detail::compare<ops_detail::fn::less_or_equal>(b, a);
}
template <tensor A, tensor B>
constexpr auto operator==(A const& a, B const& b) {
  return ops_detail::compare<ops_detail::fn::equal>(a, b);
}
template <tensor A, tensor B>
constexpr auto operator!=(A const& a, B const& b) {
  return ops_detail::compare<ops_detail::fn::not_equal>(a, b);
}

template <tensor A>
constexpr auto operator<(A const& a, ops_detail::number_for<element_t<A>> s) {
  return ops_detail::compare_with<ops_detail::fn::less, false>(a, s);
}
template <tensor A>
constexpr auto operator<=(A const& a, ops_detail::number_for<element_t<A>> s) {
  return ops_detail::compare_with<ops_detail::fn::less_or_equal, false>(a, s);
}
template <tensor A>
constexpr auto operator>(A const& a, ops_detail::number_for<element_t<A>> s) {
  return ops_detail::compare_with<ops_detail::fn::less, true>(a, s);
}
template <tensor A>
constexpr auto operator>=(A const& a, ops_detail::number_for<element_t<A>> s) {
  return ops_detail::compare_with<ops_detail::fn::less_or_equal, true>(a, s);
}
template <tensor A>
constexpr auto operator==(A const& a, ops_detail::number_for<element_t<A>> s) {
  return ops_detail::compare_with<ops_detail::fn::equal, false>(a, s);
}
template <tensor A>
constexpr auto operator!=(A const& a, ops_detail::number_for<element_t<A>> s) {
  return ops_detail::compare_with<ops_detail::fn::not_equal, false>(a, s);
}
template <tensor A>
constexpr auto operator<(ops_detail::number_for<element_t<A>> s, A const& a) {
  return a > s;
}
template <tensor A>
constexpr auto operator<=(ops_detail::number_for<element_t<A>> s, A const& a) {
  return a >= s;
}
template <tensor A>
constexpr auto operator>(ops_detail::number_for<element_t<A>> s, A const& a) {
  return a < s;
}
template <tensor A>
constexpr auto operator>=(ops_detail::number_for<element_t<A>> s, A const& a) {
  return a <= s;
}
template <tensor A>
constexpr auto operator==(ops_detail::number_for<element_t<A>> s, A const& a) {
  return a == s;
}
template <tensor A>
constexpr auto operator!=(ops_detail::number_for<element_t<A>> s, A const& a) {
  return a != s;
}

/// The elements of a where the mask is true, of b elsewhere. One of them may be a number, or both.
/// Shape: as of an elementwise function of three operands, with broadcasting.
/// Cost: no communication. The derivative passes the cotangent to the chosen operand, and 0 to the other. An element
///   that is not chosen may be NaN or infinite; the derivative with respect to its operand is 0 there.
/// Error: the mask must not be partial. Two tensors may be partial sums over the same axes; beside a number a tensor
///   must not be partial. A number that is no element does not compile, or throws ashlar::error, as for x * s.
/// Example: where(x > 0.f, x, 0.1f * x)
template <tensor Mask, tensor A, tensor B>
constexpr auto where(Mask const& mask, A const& a, B const& b) {
  return meta_detail::checked<ops_detail::where_mask<Mask>, ops_detail::where_elements<A, B>>(
      [&]<class T>(T const& x, auto const& y) {
        return elementwise(ops_detail::fn::choose<element_t<T>>{}, stop_gradient(mask), x, y);
      },
      a, b);
}
template <tensor Mask, tensor A>
constexpr auto where(Mask const& mask, A const& a, ops_detail::number_for<element_t<A>> b) {
  return meta_detail::checked<ops_detail::where_mask<Mask>>(
      [&](auto const& x) {
        return elementwise(ops_detail::fn::choose_or_number<true, element_t<A>>{b.element()}, x, stop_gradient(mask));
      },
      a);
}
template <tensor Mask, tensor B>
constexpr auto where(Mask const& mask, ops_detail::number_for<element_t<B>> a, B const& b) {
  return meta_detail::checked<ops_detail::where_mask<Mask>>(
      [&](auto const& x) {
        return elementwise(ops_detail::fn::choose_or_number<false, element_t<B>>{a.element()}, x, stop_gradient(mask));
      },
      b);
}
template <tensor Mask, class A, class B>
  requires(!tensor<A> && !tensor<B>)
constexpr auto where(Mask const& mask, A a, B b) {
  using T = std::common_type_t<A, B>;
  using number = ops_detail::number_for<T>;
  return meta_detail::checked<ops_detail::where_mask<Mask>>(
      [&](auto const& m) {
        return elementwise(ops_detail::fn::choose_number<T>{number(a).element(), number(b).element()}, m);
      },
      stop_gradient(mask));
}

}  // namespace ashlar
