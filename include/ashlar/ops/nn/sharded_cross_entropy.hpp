// SPDX-License-Identifier: BSL-1.0
// Sharded cross-entropy: cross-entropy over sharded classes, with one all-reduce.
#pragma once
#include "ashlar/ops/collectives.hpp"
#include "ashlar/ops/nn/losses.hpp"

namespace ashlar::ops_detail {

/// The contribution of a set of a row's logits to its loss. It consists of the largest logit, the sum of
/// exp(logit - largest), and the label's logit (0 if it is not in the set). The sum of the parts of disjoint sets is
/// the part of their union. Parts form a commutative monoid. So a tensor of parts can be partial by a sum, and
/// collectives reduce it as any other.
/// Source: Milakov and Gimelshein, Online normalizer calculation for softmax, 2018.
template <class T>
struct softmax_part {
  using part_of_a_sum = void;
  T largest, sum, target;

  softmax_part() = default;
  ASHLAR_FUNCTION constexpr softmax_part(T m, T s, T t) : largest(m), sum(s), target(t) {}
  /// 0 is the part of no logits.
  ASHLAR_FUNCTION constexpr explicit softmax_part(int) : largest(op::max::identity<T>()), sum(0), target(0) {}

  ASHLAR_FUNCTION friend softmax_part operator+(softmax_part const& a, softmax_part const& b) {
    T const m = op::max::combine(a.largest, b.largest);
    return {m, a.scaled(m) + b.scaled(m), a.target + b.target};
  }

 private:
  // The sum of exp(logit - m) for another maximum m. For no logits it is 0.
  ASHLAR_FUNCTION T scaled(T m) const { return sum == T(0) ? T(0) : sum * math_exp(largest - m); }
};

/// The part of each row's loss from a rank's classes.
struct softmax_parts_op {
  using diagnostics = softmax_diagnostics;
  template <class T, class>
  using element = softmax_part<T>;
  static constexpr rule_result rule(layout_value const& logits, layout_value const& labels) {
    if (logits.levels) return rule_result::wrong(fault::not_linear, first_axis(logits.partial()));
    if (labels.levels) return rule_result::wrong(fault::not_linear, first_axis(labels.partial()));
    if (rule_result const r = split_alike(labels, logits, labels.rank); r.why != fault::fits) return r;
    return reduction_rule(op_sum, 1u << (logits.rank - 1), logits);
  }
  static constexpr shape extents(layout_value const& out, shape const& logits, shape const& labels) {
    (void)labelled_rows_rule::extents(out, logits, labels,
                                      "ashlar::nn::sharded_cross_entropy: there is one label per row of the logits");
    return labels;
  }
};

/// The cotangent of a rank's logits.
struct sharded_cross_entropy_pullback_op : cross_entropy_pullback_op {};

/// The mean loss from logits, labels and the parts of all ranks. Its gradient with respect to the logits already
/// contains the path through `parts`.
struct sharded_cross_entropy_op {
  using diagnostics = softmax_diagnostics;
  static constexpr plan_detail::index_words words{"ashlar::nn::sharded_cross_entropy: label ", " classes"};
  template <class T, class, class>
  using element = T;
  static constexpr rule_result rule(layout_value const&, layout_value const&, layout_value const& parts) {
    return reduction_rule(op_sum, (1u << parts.rank) - 1u, parts);
  }
  static constexpr shape extents(layout_value const&, shape const&, shape const&, shape const&) { return {}; }
  template <int I, class Ct, class Y, class Z, class Labels, class Parts>
    requires(I == 0)
  static constexpr auto pullback(Ct const& ct, Y const&, Z const& logits, Labels const& labels, Parts const& parts) {
    return apply(sharded_cross_entropy_pullback_op{}, ct, logits, labels, parts);
  }
};

}  // namespace ashlar::ops_detail

namespace ashlar::nn {

/// softmax_cross_entropy for classes that may be sharded, too.
/// Shape: logits (rows..., classes), labels (rows...), integers that count all classes; a scalar.
/// Collective: every rank calls it; it blocks.
/// Cost: one all_reduce of 3 numbers per row over the axes that shard the classes, none if no axis does; none backward.
/// The result is partial over the axes that shard the rows. (Megatron needs three all-reduces: of the maximum, of the
/// label's logit and of the sum.)
/// Error: a label that is not a class throws ashlar::error, as an index of take does; -1 makes NaN.
///   Logits of integers do not compile.
/// Example: nn::sharded_cross_entropy(z<layout<"data", "model">>, y<layout<"data">, int>) -> partial<layout<>, "data">
template <tensor Z, tensor Y>
[[nodiscard]] constexpr auto sharded_cross_entropy(Z const& logits, Y const& labels,
                                                   call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  static_assert(!ops_detail::labels_do_not_match_rows<layout_t<Z>, layout_t<Y>>,
                "ashlar::nn::sharded_cross_entropy: labels have one dimension less than logits, one label per row");
  static_assert(
      !ops_detail::labels_are_not_integers<layout_t<Z>, layout_t<Y>, element_t<Y>>,
      "ashlar::nn::sharded_cross_entropy: labels are integers, the class of each row; write cast<int>(labels)");
  static_assert(ops_detail::real_or_complex_elements<Z>,
                "ashlar::nn::sharded_cross_entropy: the elements are integers; write cast<double>(x)");
  auto const parts = all_reduce(apply(ops_detail::softmax_parts_op{}, stop_gradient(logits), labels), w);
  return apply(ops_detail::sharded_cross_entropy_op{}, logits, labels, parts);
}

}  // namespace ashlar::nn
