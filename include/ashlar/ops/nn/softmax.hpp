// SPDX-License-Identifier: BSL-1.0
// Softmax over a dimension.
#pragma once
#include "ashlar/ops/functions.hpp"

namespace ashlar {

namespace ops_detail {
struct softmax_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::sharded_dimension, Axis, L...>::value,
        "ashlar::softmax: the axis shards the dimension, which the operation reads as a whole; all_gather it first");
    static_assert(!breaks<F, fault::not_linear, Axis, L...>::value,
                  "ashlar::softmax: the tensor is partial over the axis; all_reduce or reduce_scatter it first");
    static_assert(
        !breaks<F, fault::one_sided, Axis, L...>::value,
        "ashlar::nn::softmax_cross_entropy: the axis shards the labels otherwise than the rows; make both with one layout");
  }
};

struct log_softmax_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::sharded_dimension, Axis, L...>::value,
        "ashlar::log_softmax: the axis shards the dimension, which the operation reads as a whole; all_gather it first");
    static_assert(!breaks<F, fault::not_linear, Axis, L...>::value,
                  "ashlar::log_softmax: the tensor is partial over the axis; all_reduce or reduce_scatter it first");
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
template <class Pullback, class Diagnostics = softmax_diagnostics>
struct softmax_like_op : like_operand<Diagnostics> {
  static constexpr rule_result rule(layout_value const& a) { return whole_dimensions_rule(1u << (a.rank - 1), a); }
  template <int, class Ct, class Y, class X>
  static constexpr auto pullback(Ct const& ct, Y const& y, X const&) {
    return apply(Pullback{}, ct, y);
  }
};
struct softmax_op : softmax_like_op<softmax_pullback_op> {};
struct log_softmax_op : softmax_like_op<log_softmax_pullback_op, log_softmax_diagnostics> {};

// The kernels act on the last dimension. Along another one the functions are compositions.
template <int Dim, bool Log>
struct softmax_along : like_operand<std::conditional_t<Log, log_softmax_diagnostics, softmax_diagnostics>> {
  static constexpr rule_result rule(layout_value const& a) { return whole_dimensions_rule(1u << Dim, a); }
};
template <class X, int Dim, bool Log>
struct softmax_operand {
  static constexpr bool elements = real_or_complex_elements<X>, dimension = are_dimensions<rank_v<X>, Dim>,
                        ok = elements && dimension;
  static constexpr void say() {
    static_assert(elements || Log, "ashlar::softmax: the elements are integers; write cast<double>(x)");
    static_assert(elements || !Log, "ashlar::log_softmax: the elements are integers; write cast<double>(x)");
    static_assert(!elements || dimension || Log,
                  "ashlar::softmax: the tensor has no such dimension; they count from 0, or from -1 at the end");
    static_assert(!elements || dimension || !Log,
                  "ashlar::log_softmax: the tensor has no such dimension; they count from 0, or from -1 at the end");
  }
};
template <int Dim, bool Log, class X>
constexpr auto softmax_of(X const& x) {
  return checked<softmax_operand<X, Dim, Log>>(
      []<class Y>(Y const& y) {
        constexpr int dim = dimension_of<Y, Dim>;
        if constexpr (dim == rank_v<Y> - 1) {
          return apply(std::conditional_t<Log, log_softmax_op, softmax_op>{}, y);
        } else {
          return checked<operands_fit<softmax_along<dim, Log>, Y>>(
              [](auto const& z) {
                auto const from_top = z - expand<dim>(max<dim>(stop_gradient(z)), z);
                auto const terms = exp(from_top);
                if constexpr (Log)
                  return plan_detail::evaluated(from_top - expand<dim>(log(sum<dim>(terms)), z));
                else
                  return plan_detail::evaluated(terms / expand<dim>(sum<dim>(terms), z));
              },
              y);
        }
      },
      x);
}

}  // namespace ops_detail

/// exp(x) / sum of exp(x) over a dimension, by default the last one.
/// Pre: no axis shards the dimension.
/// Cost: no communication. Over another dimension than the last one two more tensors are stored.
/// Error: does not compile if an axis shards the dimension, if the tensor is partial, or of integers.
/// Example: softmax(z<layout<"data", none>>) -> layout<"data", none>
template <int Dim = -1, tensor X>
constexpr auto softmax(X const& x) {
  return ops_detail::softmax_of<Dim, false>(x);
}
/// log(softmax(x)), without overflow.
/// Pre, Cost, Error: as softmax.
/// Example: log_softmax<0>(z<layout<none, "data">>) -> layout<none, "data">
template <int Dim = -1, tensor X>
constexpr auto log_softmax(X const& x) {
  return ops_detail::softmax_of<Dim, true>(x);
}

}  // namespace ashlar
