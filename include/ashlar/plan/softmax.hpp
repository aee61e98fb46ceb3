// Softmax over the last dimension, its losses, and hits.
#pragma once
#include "ashlar/plan/functions.hpp"

namespace ashlar {

namespace detail {
struct softmax_words {
  template <fault F, class Axis, class... L>
  static constexpr void say() {
    static_assert(!breaks<F, fault::sharded_dimension, Axis, L...>::value,
                  "ashlar::softmax: the axis shards the last dimension, which the operation reads as a whole; all_gather it first");
    static_assert(!breaks<F, fault::not_linear, Axis, L...>::value,
                  "ashlar::softmax: a reduction pends over the axis; all_reduce or reduce_scatter it first");
    static_assert(!breaks<F, fault::one_sided, Axis, L...>::value,
                  "ashlar::softmax_cross_entropy: the axis shards the labels otherwise than the rows; make both with one layout");
  }
};
}  // namespace detail

struct softmax_pullback_op;
struct log_softmax_pullback_op;

/// Keeps the layout; needs the last dimension whole. `Pullback` is the operation (ct, y) -> cotangent.
template <class Self, class Pullback>
struct softmax_like_op {
  using words = detail::softmax_words;
  template <class T, class...>
  using element = T;
  static constexpr ruled rule(layout_value const& a) { return whole_dimensions_rule(1u << (a.rank - 1), a); }
  static constexpr shape extents(layout_value const&, shape const& a) { return a; }
  template <int, class Ct, class Y, class X>
  static constexpr auto pullback(Ct const& ct, Y const& y, X const&) {
    return apply(Pullback{}, ct, y);
  }
};
struct softmax_op : softmax_like_op<softmax_op, softmax_pullback_op> {};
struct log_softmax_op : softmax_like_op<log_softmax_op, log_softmax_pullback_op> {};

// Linear in the cotangent, which may pend; the value may not.
struct softmax_pullback_rule {
  using words = detail::softmax_words;
  template <class T, class...>
  using element = T;
  static constexpr ruled rule(layout_value const& ct, layout_value const& y) {
    return elementwise_rule(linearity::linear_in_first, ct, y);
  }
  static constexpr shape extents(layout_value const&, shape const& a, shape const&) { return a; }
};
struct softmax_pullback_op : softmax_pullback_rule {};
struct log_softmax_pullback_op : softmax_pullback_rule {};

struct cross_entropy_pullback_op {
  using words = detail::softmax_words;
  template <class T, class, class>
  using element = T;
  static constexpr ruled rule(layout_value const& ct, layout_value const& logits, layout_value const&) {
    ruled r;
    r.out = logits;
    r.out.pend(op_sum, ct.partial());
    return r;
  }
  static constexpr shape extents(layout_value const&, shape const&, shape const& logits, shape const&) { return logits; }
};

/// A scalar from logits and one label a row.
struct labelled_rows_rule {
  using words = detail::softmax_words;
  template <class T, class>
  using element = T;
  static constexpr ruled rule(layout_value const& logits, layout_value const& labels) {
    int const last = logits.rank - 1;
    if (ruled const r = whole_dimensions_rule(1u << last, logits); r.why != fault::fits) return r;
    if (labels.levels) return ruled::wrong(fault::not_linear, first_axis(labels.partial()));
    for (int d = 0; d < last; ++d)
      if (labels.dim[d] != logits.dim[d])
        return ruled::wrong(fault::one_sided, first_axis(labels.dim[d].mask() ^ logits.dim[d].mask()));
    return reduction_rule(op_sum, (1u << logits.rank) - 1u, logits);
  }
  /// `rows` says by the name of the function that was called what one stands for.
  static constexpr shape extents(layout_value const&, shape const& logits, shape const& labels,
                                 char const* rows = "ashlar::softmax_cross_entropy: there is one label a row of the logits") {
    for (int d = 0; d < labels.rank; ++d)
      if (labels[d] != logits[d]) detail::fail_extents(rows, logits, labels);
    return {};
  }
};

/// Mean over all rows of the negative log-probability of each row's label.
struct cross_entropy_op : labelled_rows_rule {
  template <int I, class Ct, class Y, class Z, class Labels>
    requires(I == 0)
  static constexpr auto pullback(Ct const& ct, Y const&, Z const& logits, Labels const& labels) {
    return apply(cross_entropy_pullback_op{}, ct, logits, labels);
  }
};

/// Sum over all rows of the row's weight times the negative log-probability of its label.
struct weighted_cross_entropy_pullback_op {
  using words = detail::softmax_words;
  template <class T, class, class, class>
  using element = T;
  static constexpr ruled rule(layout_value const& ct, layout_value const& logits, layout_value const& labels, layout_value const&) {
    return cross_entropy_pullback_op::rule(ct, logits, labels);
  }
  static constexpr shape extents(layout_value const&, shape const&, shape const& logits, shape const&, shape const&) { return logits; }
};
struct weighted_cross_entropy_op {
  using words = detail::softmax_words;
  template <class T, class, class>
  using element = T;
  static constexpr ruled rule(layout_value const& logits, layout_value const& labels, layout_value const& weights) {
    ruled const r = labelled_rows_rule::rule(logits, weights);
    return r.why == fault::fits ? labelled_rows_rule::rule(logits, labels) : r;
  }
  static constexpr shape extents(layout_value const& out, shape const& logits, shape const& labels, shape const& weights) {
    (void)labelled_rows_rule::extents(out, logits, weights, "ashlar::softmax_cross_entropy: there is one weight a row of the logits");
    return labelled_rows_rule::extents(out, logits, labels);
  }
  template <int I, class Ct, class Y, class Z, class Labels, class Weights>
    requires(I == 0)
  static constexpr auto pullback(Ct const& ct, Y const&, Z const& logits, Labels const& labels, Weights const& weights) {
    return apply(weighted_cross_entropy_pullback_op{}, ct, logits, labels, weights);
  }
};

/// Rows whose largest element stands at the label; of equal ones the first counts.
struct hits_op : labelled_rows_rule {
  static constexpr shape extents(layout_value const& out, shape const& logits, shape const& labels) {
    return labelled_rows_rule::extents(out, logits, labels, "ashlar::accuracy_count: there is one label a row of the logits");
  }
};

namespace detail {
template <class Logits, class Labels>
struct labels_do_not_match_rows {
  static constexpr bool value = Labels::rank + 1 != Logits::rank;
};
template <class Logit, class Weight>
struct weights_have_other_elements {
  static constexpr bool value = !std::is_same_v<Logit, Weight>;
};
}  // namespace detail

/// exp(x) / sum of exp(x) over the last dimension, which must be whole. Cost: no communication.
template <tensor X>
constexpr auto softmax(X const& x) {
  return apply(softmax_op{}, x);
}
/// log(softmax(x)), without overflow.
template <tensor X>
constexpr auto log_softmax(X const& x) {
  return apply(log_softmax_op{}, x);
}

/// Mean over all rows of -log(softmax(logits))[label], from integer labels.
/// Shape: logits (rows..., classes), labels (rows...); a scalar. Cost: no communication; a sum pends over the axes that
/// shard the rows.
/// Example: logits layout<"data", none>, labels layout<"data">: partial<layout<>, "data">
template <tensor Z, tensor Y>
constexpr auto softmax_cross_entropy(Z const& logits, Y const& labels) {
  static_assert(!detail::labels_do_not_match_rows<layout_t<Z>, layout_t<Y>>::value,
                "ashlar::softmax_cross_entropy: labels have one dimension less than logits, one label a row; a distribution for each row is of floating-point numbers");
  return apply(cross_entropy_op{}, logits, labels);
}

/// Sum over all rows of weight times -log(softmax(logits))[label]: the mean over some of the rows, such as those of a padded
/// batch that are examples, where their weights are 1 / their number and those of the others 0. A row of weight 0 counts
/// nowhere, whatever its label.
/// Shape: logits (rows..., classes), labels and weights (rows...); a scalar. Cost: no communication; a sum pends over the
/// axes that shard the rows. No derivative by the weights.
template <tensor Z, tensor Y, tensor W>
constexpr auto softmax_cross_entropy(Z const& logits, Y const& labels, W const& weights) {
  static_assert(!detail::labels_do_not_match_rows<layout_t<Z>, layout_t<Y>>::value,
                "ashlar::softmax_cross_entropy: labels have one dimension less than logits, one label a row; a distribution for each row takes no weights beside it");
  static_assert(!detail::labels_do_not_match_rows<layout_t<Z>, layout_t<W>>::value,
                "ashlar::softmax_cross_entropy: weights have one dimension less than logits, one weight a row");
  static_assert(!detail::weights_have_other_elements<element_t<Z>, element_t<W>>::value,
                "ashlar::softmax_cross_entropy: logits and weights have different element types; make the weights of the logits'");
  return apply(weighted_cross_entropy_op{}, logits, labels, weights);
}

/// Number of rows whose largest logit stands at the label, as a scalar of the logits' element type, exact up to 2^24
/// rows in float. Pends like the loss, so that both ride in one message. It has no derivative: count hits of plain(logits).
template <tensor Z, tensor Y>
constexpr auto accuracy_count(Z const& logits, Y const& labels) {
  static_assert(!detail::labels_do_not_match_rows<layout_t<Z>, layout_t<Y>>::value,
                "ashlar::accuracy_count: labels have one dimension less than logits, one label a row");
  return apply(hits_op{}, logits, labels);
}

/// Mean over all elements of (a - b)^2.
template <tensor A, tensor B>
constexpr auto mean_squared_error(A const& a, B const& b) {
  return mean(square(a - b));
}

}  // namespace ashlar
