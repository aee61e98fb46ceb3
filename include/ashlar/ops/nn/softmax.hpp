// SPDX-License-Identifier: BSL-1.0
// Softmax over the last dimension.
#pragma once
#include "ashlar/ops/functions.hpp"

namespace ashlar {

namespace ops_detail {
struct softmax_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::sharded_dimension, Axis, L...>::value,
        "ashlar::softmax: the axis shards the last dimension, which the operation reads as a whole; all_gather it first");
    static_assert(!breaks<F, fault::not_linear, Axis, L...>::value,
                  "ashlar::softmax: the tensor is partial over the axis; all_reduce or reduce_scatter it first");
    static_assert(
        !breaks<F, fault::one_sided, Axis, L...>::value,
        "ashlar::nn::softmax_cross_entropy: the axis shards the labels otherwise than the rows; make both with one layout");
  }
};

// Linear in the cotangent, which may be partial. The value y may not be partial.
struct softmax_pullback_rule : like_operand<softmax_diagnostics> {
  static constexpr rule_result rule(layout_value const& ct, layout_value const& y) {
    return elementwise_rule(linearity::linear_in_first, ct, y);
  }
};
struct softmax_pullback_op : softmax_pullback_rule {};
struct log_softmax_pullback_op : softmax_pullback_rule {};

/// The base of softmax operations. They keep the layout, and no axis may shard the last dimension. `Pullback` is the
/// operation (ct, y) -> cotangent.
template <class Pullback>
struct softmax_like_op : like_operand<softmax_diagnostics> {
  static constexpr rule_result rule(layout_value const& a) { return whole_dimensions_rule(1u << (a.rank - 1), a); }
  template <int, class Ct, class Y, class X>
  static constexpr auto pullback(Ct const& ct, Y const& y, X const&) {
    return apply(Pullback{}, ct, y);
  }
};
struct softmax_op : softmax_like_op<softmax_pullback_op> {};
struct log_softmax_op : softmax_like_op<log_softmax_pullback_op> {};

}  // namespace ops_detail

/// exp(x) / sum of exp(x) over the last dimension.
/// Pre: no axis shards the last dimension.
/// Cost: no communication.
/// Error: does not compile if an axis shards the last dimension, if the tensor is partial, or of integers.
/// Example: softmax(z<layout<"data", none>>) -> layout<"data", none>
template <tensor X>
constexpr auto softmax(X const& x) {
  static_assert(ops_detail::real_or_complex_elements<X>,
                "ashlar::softmax: the elements are integers; write cast<double>(x)");
  return apply(ops_detail::softmax_op{}, x);
}
/// log(softmax(x)), without overflow.
/// Pre, Cost, Error: as softmax.
/// Example: log_softmax(z<layout<"data", none>>) -> layout<"data", none>
template <tensor X>
constexpr auto log_softmax(X const& x) {
  static_assert(ops_detail::real_or_complex_elements<X>,
                "ashlar::log_softmax: the elements are integers; write cast<double>(x)");
  return apply(ops_detail::log_softmax_op{}, x);
}

}  // namespace ashlar
