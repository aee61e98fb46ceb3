// SPDX-License-Identifier: BSL-1.0
// Counts of right and wrong answers. They are partial like the loss, so one collective can reduce both.
#pragma once
#include "ashlar/ops/nn/losses.hpp"

namespace ashlar::ops_detail {

/// Counts the rows whose largest element is at the label. Of equal elements the first counts as larger.
struct hits_op : labelled_rows_rule {
  static constexpr shape extents(layout_value const& out, shape const& logits, shape const& labels) {
    return labelled_rows_rule::extents(out, logits, labels,
                                       "ashlar::nn::accuracy_count: there is one label per row of the logits");
  }
};

/// Counts the rows in which fewer than k elements beat the element at the label: larger elements, equal elements before
/// it, and NaN.
struct top_k_op : labelled_rows_rule {
  index_t k;
  static constexpr shape extents(layout_value const& out, shape const& logits, shape const& labels) {
    return labelled_rows_rule::extents(out, logits, labels,
                                       "ashlar::nn::top_k_count: there is one label per row of the logits");
  }
};

/// Counts rows by label and by position of their largest element.
struct confusion_op {
  using diagnostics = softmax_diagnostics;
  template <class T, class>
  using element = T;
  static constexpr rule_result rule(layout_value const& logits, layout_value const& labels) {
    rule_result r = labelled_rows_rule::rule(logits, labels);
    if (r.why == fault::fits) r.out.rank = 2;
    return r;
  }
  static constexpr shape extents(layout_value const& out, shape const& logits, shape const& labels) {
    (void)labelled_rows_rule::extents(out, logits, labels,
                                      "ashlar::nn::confusion_counts: there is one label per row of the logits");
    return shape::of(logits[logits.rank - 1], logits[logits.rank - 1]);
  }
};

}  // namespace ashlar::ops_detail

namespace ashlar::nn {

/// Number of rows whose largest logit is at the label, as a scalar of the logits' element type. It is exact up to 2^24
/// rows in float. It is partial like the loss, so one collective can reduce both. It has no derivative: pass
/// stop_gradient(logits).
/// Shape: logits (rows..., classes), labels (rows...); a scalar.
/// Cost: no communication; the result is partial over the axes that shard the rows.
/// Error: labels that are no integers, or have not one dimension less than the logits, do not compile. Nor do logits of
/// integers, which would count in their type.
/// Example: nn::accuracy_count(z<layout<"data", none>>, y<layout<"data">, int>) -> partial<layout<>, "data">
template <tensor Z, tensor Y>
constexpr auto accuracy_count(Z const& logits, Y const& labels, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  static_assert(!ops_detail::labels_do_not_match_rows<layout_t<Z>, layout_t<Y>>,
                "ashlar::nn::accuracy_count: labels have one dimension less than logits, one label per row");
  static_assert(!ops_detail::labels_are_not_integers<layout_t<Z>, layout_t<Y>, element_t<Y>>,
                "ashlar::nn::accuracy_count: labels are integers, the class of each row; write cast<int>(labels)");
  static_assert(ops_detail::real_or_complex_elements<Z>,
                "ashlar::nn::accuracy_count: the elements are integers; write cast<double>(x)");
  return apply(ops_detail::hits_op{}, logits, labels);
}

/// Number of rows whose label has one of the k largest logits, as a scalar of the logits' element type. It is exact up
/// to 2^24 rows in float. Of equal logits the first counts as larger. With k = 1 it is accuracy_count. It has no
/// derivative: pass stop_gradient(logits).
/// Shape: logits (rows..., classes), labels (rows...); a scalar.
/// Pre: k >= 1.
/// Cost: no communication; the result is partial over the axes that shard the rows.
/// Error: k < 1 throws ashlar::error. Labels and logits as for accuracy_count.
/// Example: nn::top_k_count(z<layout<"data", none>>, y<layout<"data">, int>, 5) -> partial<layout<>, "data">
template <tensor Z, tensor Y>
constexpr auto top_k_count(Z const& logits, Y const& labels, ops_detail::index_argument k,
                           call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  static_assert(!ops_detail::labels_do_not_match_rows<layout_t<Z>, layout_t<Y>>,
                "ashlar::nn::top_k_count: labels have one dimension less than logits, one label per row");
  static_assert(!ops_detail::labels_are_not_integers<layout_t<Z>, layout_t<Y>, element_t<Y>>,
                "ashlar::nn::top_k_count: labels are integers, the class of each row; write cast<int>(labels)");
  if (k < 1) meta_detail::fail("ashlar::nn::top_k_count: k is at least 1");
  static_assert(ops_detail::real_or_complex_elements<Z>,
                "ashlar::nn::top_k_count: the elements are integers; write cast<double>(x)");
  return apply(ops_detail::top_k_op{{}, k}, logits, labels);
}

/// Number of rows by label and by position of the largest logit, the first of equal ones. A row that holds NaN, or
/// whose label is not a class, is not counted. It has no derivative.
/// Shape: logits (rows..., classes), labels (rows...); result (classes, classes), label first.
/// Cost: no communication; the result is partial over the axes that shard the rows.
/// Error: labels that are no integers, or have not one dimension less than the logits, do not compile. Nor do logits of
/// integers, which would count in their type.
/// Example: nn::confusion_counts(z<layout<"data", none>>, y<layout<"data">, int>) -> partial<layout<none, none>, "data">
template <tensor Z, tensor Y>
constexpr auto confusion_counts(Z const& logits, Y const& labels, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  static_assert(!ops_detail::labels_do_not_match_rows<layout_t<Z>, layout_t<Y>>,
                "ashlar::nn::confusion_counts: labels have one dimension less than logits, one label per row");
  static_assert(!ops_detail::labels_are_not_integers<layout_t<Z>, layout_t<Y>, element_t<Y>>,
                "ashlar::nn::confusion_counts: labels are integers, the class of each row; write cast<int>(labels)");
  static_assert(ops_detail::real_or_complex_elements<Z>,
                "ashlar::nn::confusion_counts: the elements are integers; write cast<double>(x)");
  return apply(ops_detail::confusion_op{}, logits, labels);
}

}  // namespace ashlar::nn
