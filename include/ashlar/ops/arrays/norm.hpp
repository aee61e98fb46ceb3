// SPDX-License-Identifier: BSL-1.0
// The sum of squares of a tensor.
#pragma once
#include "ashlar/ops/functions.hpp"

namespace ashlar {

namespace ops_detail {
struct sum_of_squares_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::not_linear, Axis, L...>::value,
        "ashlar::sum_of_squares: the tensor is partial over the axis, and the square of a sum is no sum of squares; all_reduce or reduce_scatter it first");
  }
};

struct sum_of_squares_op {
  using diagnostics = sum_of_squares_diagnostics;
  template <class T>
  using element = sum_of_elements_t<T>;
  static constexpr rule_result rule(layout_value const& a) {
    if (a.levels) return rule_result::wrong(fault::not_linear, first_axis(a.partial()));
    return reduction_rule(op_sum, (1u << a.rank) - 1u, a);
  }
  static constexpr shape extents(layout_value const&, shape const&) { return {}; }
  template <int, class Ct, class Y, class X>
  static constexpr auto pullback(Ct const& ct, Y const&, X const& x) {
    return elementwise(fn::multiply{}, ct * element_t<X>(2), x);
  }
};

}  // namespace ops_detail

/// Sum of the squares of all elements, in one pass. Its element type, in which squares are computed, is that of a sum.
/// Shape: a scalar.
/// Cost: no communication; the result is partial over the axes that shard the tensor.
/// Error: a partial tensor does not compile.
/// Example: sum_of_squares(x<layout<"data", none>>) -> partial<layout<>, "data">
template <tensor X>
constexpr auto sum_of_squares(X const& x) {
  return apply(ops_detail::sum_of_squares_op{}, x);
}

}  // namespace ashlar
