// SPDX-License-Identifier: BSL-1.0
// argmax and argmin: the largest or smallest element, and its index.
#pragma once
#include "ashlar/ops/arrays/compare.hpp"

namespace ashlar {

namespace ops_detail {

/// An element and its index among those that a reduction compares; index -1 if there is none. The sum of two is the one
/// that comes first: NaN, then the larger (smaller) value, then the lower index. So they form a commutative monoid. A
/// tensor of them can be partial by a sum, and collectives reduce it as any other.
template <class T, bool Smallest>
struct extremum {
  using part_of_a_sum = void;
  T value;
  index_t index;

  extremum() = default;
  ASHLAR_FUNCTION constexpr extremum(T v, index_t i) : value(v), index(i) {}
  /// 0 is the extremum of no elements.
  ASHLAR_FUNCTION constexpr explicit extremum(int) : value(), index(-1) {}

  ASHLAR_FUNCTION friend constexpr extremum operator+(extremum const& a, extremum const& b) {
    return b.precedes(a) ? b : a;
  }
  friend constexpr bool operator==(extremum const&, extremum const&) = default;

 private:
  ASHLAR_FUNCTION constexpr bool precedes(extremum const& other) const {
    if (index < 0 || other.index < 0) return index >= 0;
    bool const nan = is_nan(value), other_nan = is_nan(other.value);
    if (nan != other_nan) return nan;
    if (nan || value == other.value) return index < other.index;
    return Smallest ? value < other.value : other.value < value;
  }
};

struct extremum_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::not_linear, Axis, L...>::value,
        "ashlar::argmax: the tensor is partial over the axis, so no rank knows an element; all_reduce or reduce_scatter it first");
  }
};

/// The extremum over the dimensions in a bit mask.
template <bool Smallest, unsigned Dims>
struct extremum_op {
  using diagnostics = extremum_diagnostics;
  static constexpr unsigned dims = Dims;
  template <class T>
  using element = extremum<T, Smallest>;
  static constexpr rule_result rule(layout_value const& a) {
    if (a.levels) return rule_result::wrong(fault::not_linear, first_axis(a.partial()));
    return reduction_rule(op_sum, Dims, a);
  }
  static constexpr shape extents(layout_value const&, shape const& a) { return without_dims(a, Dims); }
};

struct index_of_extremum {
  static constexpr linearity kind = linearity::nonlinear;
  using result_type = index_t;
  ASHLAR_FUNCTION constexpr index_t operator()(auto const& e) const { return e.index; }
};
template <class T>
struct value_of_extremum {
  static constexpr linearity kind = linearity::nonlinear;
  using result_type = T;
  ASHLAR_FUNCTION constexpr T operator()(auto const& e) const { return e.value; }
};

template <class T>
inline constexpr bool is_extremum = false;
template <class T, bool Smallest>
inline constexpr bool is_extremum<extremum<T, Smallest>> = true;
template <class X, bool Index>
struct part_of_pairs {
  static constexpr bool ok = is_extremum<element_t<X>>;
  static constexpr void say() {
    static_assert(
        ok || !Index,
        "ashlar::element_index: the elements are no pairs of value and index; write element_index(argmax(x))");
    static_assert(
        ok || Index,
        "ashlar::element_value: the elements are no pairs of value and index; write element_value(argmax(x))");
  }
};
template <class X, int... Dims>
struct argmax_operand {
  static constexpr bool elements = is_ordered<element_t<X>>, dimensions = are_dimensions<rank_v<X>, Dims...>,
                        once = are_distinct<rank_v<X>, Dims...>, ok = elements && dimensions && once;
  static constexpr void say() {
    static_assert(elements,
                  "ashlar::argmax: elements of this type have no order; write argmax(abs(x)) or argmax(real(x))");
    static_assert(!elements || dimensions,
                  "ashlar::argmax: the tensor has no such dimension; they count from 0, or from -1 at the end");
    static_assert(!elements || !dimensions || once, "ashlar::argmax: a dimension is named twice; name each once");
  }
};

template <bool Smallest, int... Dims, class X>
constexpr auto extremum_over(X const& x) {
  return checked<argmax_operand<X, Dims...>>(
      []<class T>(T const& t) { return apply(extremum_op<Smallest, mask_of_dimensions<rank_v<T>, Dims...>>{}, t); },
      stop_gradient(x));
}

}  // namespace ops_detail

/// The largest element over dimensions, or over all if none is given, and its global index. element_index and
/// element_value read them. The lowest index wins ties, and NaN is larger than all, as in NumPy. Over several dimensions
/// the index counts their elements in row-major order. It is -1 if there are no elements.
/// Shape: without the named dimensions.
/// Cost: no communication. If a dimension is sharded, the result is partial, and one all_reduce of 16 bytes per element
///   (8-byte elements or smaller) gives index and value. It has no derivative: an active operand is read by its value.
/// Error: a partial operand and elements without an order do not compile.
/// Example: element_index(all_reduce(argmax<1>(x<layout<"data", "model">>))) -> layout<"data">
template <int... Dims, tensor X>
constexpr auto argmax(X const& x) {
  return ops_detail::extremum_over<false, Dims...>(x);
}
/// The smallest element and its global index; else as argmax.
/// Cost, Error: as argmax.
/// Example: element_index(all_reduce(argmin<1>(x<layout<"data", "model">>))) -> layout<"data">
template <int... Dims, tensor X>
constexpr auto argmin(X const& x) {
  return ops_detail::extremum_over<true, Dims...>(x);
}

/// The index in each element of a result of argmax or argmin.
/// Cost: no communication.
/// Error: a partial result does not compile; all_reduce it first.
/// Example: element_index(argmax<1>(x<layout<"data", none>>)) -> layout<"data">
template <tensor X>
constexpr auto element_index(X const& x) {
  return meta_detail::checked<ops_detail::part_of_pairs<X, true>>(
      [](auto const& y) { return elementwise(ops_detail::index_of_extremum{}, y); }, x);
}
/// The value in each element of a result of argmax or argmin.
/// Cost: no communication.
/// Error: a partial result does not compile; all_reduce it first.
/// Example: element_value(argmax<1>(x<layout<"data", none>>)) -> layout<"data">
template <tensor X>
constexpr auto element_value(X const& x) {
  return meta_detail::checked<ops_detail::part_of_pairs<X, false>>(
      []<class Y>(Y const& y) {
        return elementwise(ops_detail::value_of_extremum<decltype(element_t<Y>::value)>{}, y);
      },
      x);
}

}  // namespace ashlar
