// SPDX-License-Identifier: BSL-1.0
// Losses: cross-entropy from labels and from distributions, binary cross-entropy, mean squared error.
#pragma once
#include "ashlar/ops/nn/activations.hpp"
#include "ashlar/ops/arrays/gather.hpp"
#include "ashlar/ops/nn/softmax.hpp"

namespace ashlar::ops_detail {

/// The sentences of the loss from labels.
struct cross_entropy_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::sharded_dimension, Axis, L...>::value,
        "ashlar::nn::softmax_cross_entropy: the axis shards the classes, which the loss reads as a whole; write sharded_cross_entropy(logits, labels)");
    if constexpr (F != fault::sharded_dimension) softmax_diagnostics::report<F, Axis, L...>();
  }
};

/// The cotangent of logits: the pullback of cross_entropy_op, and the base of the other pullbacks to logits.
struct cross_entropy_pullback_op : like_operand<softmax_diagnostics, 1> {
  static constexpr rule_result rule(layout_value const& ct, layout_value const& logits, auto const&...) {
    return {with_reductions_of(ct, logits)};
  }
};

/// The rule of operations that make a scalar from logits and one label per row.
struct labelled_rows_rule {
  using diagnostics = softmax_diagnostics;
  template <class T, class...>
  using element = T;
  static constexpr rule_result rule(layout_value const& logits, layout_value const& labels) {
    int const last = logits.rank - 1;
    if (rule_result const r = whole_dimensions_rule(1u << last, logits); r.why != fault::fits) return r;
    if (labels.levels) return rule_result::wrong(fault::not_linear, first_axis(labels.partial()));
    if (rule_result const r = split_alike(labels, logits, last); r.why != fault::fits) return r;
    return reduction_rule(op_sum, (1u << logits.rank) - 1u, logits);
  }
  /// `rows` is the error sentence, which names the function that was called.
  static constexpr shape extents(
      layout_value const&, shape const& logits, shape const& labels,
      char const* rows = "ashlar::nn::softmax_cross_entropy: there is one label per row of the logits") {
    for (int d = 0; d < labels.rank; ++d)
      if (labels[d] != logits[d]) plan_detail::fail_extents(rows, logits, labels);
    return {};
  }
};

/// Such an operation with a derivative with respect to the logits.
template <class Pullback>
struct loss_of_rows : labelled_rows_rule {
  static constexpr plan_detail::index_words words{"ashlar::nn::softmax_cross_entropy: label ",
                                                  " classes; give rows without a label the weight 0"};
  template <int I, class Ct, class Y, class Z, class... Labels>
    requires(I == 0)
  static constexpr auto pullback(Ct const& ct, Y const&, Z const& logits, Labels const&... labels) {
    return apply(Pullback{}, ct, logits, labels...);
  }
};

/// Mean over all rows of the negative log-probability of each row's label.
struct cross_entropy_op : loss_of_rows<cross_entropy_pullback_op> {
  using diagnostics = cross_entropy_diagnostics;
};

struct weighted_cross_entropy_pullback_op : cross_entropy_pullback_op {};

/// Sum over all rows of the row's weight times the negative log-probability of its label.
struct weighted_cross_entropy_op : loss_of_rows<weighted_cross_entropy_pullback_op> {
  static constexpr rule_result rule(layout_value const& logits, layout_value const& labels,
                                    layout_value const& weights) {
    rule_result const r = labelled_rows_rule::rule(logits, weights);
    return r.why == fault::fits ? labelled_rows_rule::rule(logits, labels) : r;
  }
  static constexpr shape extents(layout_value const& out, shape const& logits, shape const& labels,
                                 shape const& weights) {
    (void)labelled_rows_rule::extents(out, logits, weights,
                                      "ashlar::nn::softmax_cross_entropy: there is one weight per row of the logits");
    return labelled_rows_rule::extents(out, logits, labels);
  }
};

template <class Logits, class Labels>
inline constexpr bool labels_do_not_match_rows = Labels::rank + 1 != Logits::rank;
template <class Logits, class Labels, class Label>
inline constexpr bool labels_are_not_integers =
    Labels::rank + 1 == Logits::rank && !std::numeric_limits<Label>::is_integer;
template <class A, class B>
struct mean_squared_error_elements {
  static constexpr bool numbers = real_or_complex_elements<A> && real_or_complex_elements<B>,
                        alike = rank_v<A> == rank_v<B>, ok = numbers && alike;
  static constexpr void say() {
    static_assert(numbers, "ashlar::nn::mean_squared_error: the elements are integers; write cast<double>(x)");
    static_assert(
        alike || !numbers,
        "ashlar::nn::mean_squared_error: the operands have different numbers of dimensions; write flatten<0, 1>(x) of one with extents n and 1");
  }
};

/// The rule of operations that make a scalar from logits and one target per logit.
struct distribution_rule {
  using diagnostics = softmax_diagnostics;
  template <class T, class>
  using element = T;
  static constexpr rule_result rule(layout_value const& logits, layout_value const& targets) {
    if (rule_result const r = whole_dimensions_rule(1u << (logits.rank - 1), logits); r.why != fault::fits) return r;
    if (targets.levels) return rule_result::wrong(fault::not_linear, first_axis(targets.partial()));
    if (rule_result const r = split_alike(targets, logits, logits.rank); r.why != fault::fits) return r;
    return reduction_rule(op_sum, (1u << logits.rank) - 1u, logits);
  }
  static constexpr shape extents(layout_value const&, shape const& logits, shape const& targets) {
    if (!(logits == targets))
      plan_detail::fail_extents("ashlar::nn::softmax_cross_entropy: a distribution has one number per logit", logits,
                                targets);
    return {};
  }
};

struct distribution_cross_entropy_pullback_op : cross_entropy_pullback_op {};

/// Mean over all rows of -sum of target log(softmax(logits)).
struct distribution_cross_entropy_op : distribution_rule {
  template <int I, class Ct, class Y, class Z, class Targets>
  static constexpr auto pullback(Ct const& ct, Y const&, Z const& logits, Targets const& targets) {
    if constexpr (I == 0) {
      return apply(distribution_cross_entropy_pullback_op{}, ct, logits, targets);
    } else {
      using T = element_t<Ct>;
      shape const e = logits.extents();
      index_t rows = 1;
      for (int d = 0; d + 1 < e.rank; ++d) rows *= e[d];
      return elementwise(fn::multiply{}, ct / static_cast<T>(-rows), log_softmax(logits));
    }
  }
};

template <class X, bool FromLogits>
struct binary_cross_entropy_elements {
  static constexpr bool ok = real_or_complex_elements<X>;
  static constexpr void say() {
    static_assert(ok || FromLogits,
                  "ashlar::nn::binary_cross_entropy: the elements are integers; write cast<double>(x)");
    static_assert(ok || !FromLogits,
                  "ashlar::nn::binary_cross_entropy_from_logits: the elements are integers; write cast<double>(x)");
  }
};

}  // namespace ashlar::ops_detail

namespace ashlar::ops_detail::fn {

template <class S, int I>
struct binary_cross_entropy_slope;

/// -(t log p + (1 - t) log(1 - p)), with p clipped to [epsilon, 1 - epsilon].
template <class S>
struct binary_cross_entropy {
  static constexpr linearity kind = linearity::nonlinear;
  S epsilon;
  template <class T>
  ASHLAR_FUNCTION T clipped(T p) const {
    T const low = p < epsilon ? epsilon : p;
    return low > T(1) - epsilon ? T(1) - epsilon : low;
  }
  template <class T>
  ASHLAR_FUNCTION T operator()(T p, T t) const {
    T const q = clipped(p);
    return -(t * ops_detail::math_log(q) + (T(1) - t) * ops_detail::math_log1p(-q));
  }
  template <int I>
  constexpr auto pullback(auto const& ct, auto const&, auto const& p, auto const& t) const {
    return elementwise(multiply{}, ct, elementwise(binary_cross_entropy_slope<S, I>{*this}, p, t));
  }
};

/// The slope of binary_cross_entropy with respect to p (I = 0), which is 0 if p is clipped, or to t (I = 1).
template <class S, int I>
struct binary_cross_entropy_slope {
  static constexpr linearity kind = linearity::nonlinear;
  binary_cross_entropy<S> f;
  template <class T>
  ASHLAR_FUNCTION T operator()(T p, T t) const {
    T const q = f.clipped(p);
    if (I == 1) return ops_detail::math_log1p(-q) - ops_detail::math_log(q);
    return p < q || q < p ? T(0) : (p - t) / (p * (T(1) - p));
  }
};

/// Binary cross-entropy of p = sigmoid(z): max(z, 0) - z t + log(1 + exp(-|z|)).
struct binary_cross_entropy_from_logits {
  static constexpr linearity kind = linearity::nonlinear;
  template <class T>
  ASHLAR_FUNCTION T operator()(T z, T t) const {
    return (z > T(0) ? z : T(0)) - z * t + ops_detail::math_log1p(ops_detail::math_exp(z < T(0) ? z : -z));
  }
  struct slope {
    static constexpr linearity kind = linearity::nonlinear;
    template <class T>
    ASHLAR_FUNCTION T operator()(T z, T t) const {
      return ops_detail::logistic(z) - t;
    }
  };
  template <int I>
  static constexpr auto pullback(auto const& ct, auto const&, auto const& z, auto const& t) {
    if constexpr (I == 0)
      return elementwise(multiply{}, ct, elementwise(slope{}, z, t));
    else
      return elementwise(negate{}, elementwise(multiply{}, ct, z));
  }
};

}  // namespace ashlar::ops_detail::fn

namespace ashlar::nn {

/// Mean over all rows of -log(softmax(logits))[label], from integer labels.
/// Shape: logits (rows..., classes), labels (rows...); a scalar.
/// Cost: no communication; the result is partial over the axes that shard the rows.
/// Error: labels that are no integers, or have not one dimension less than the logits, do not compile. A label that is
///   not a class throws ashlar::error, as an index of take does; -1 makes NaN.
///   Logits of integers do not compile.
/// Example: nn::softmax_cross_entropy(z<layout<"data", none>>, y<layout<"data">, int>) -> partial<layout<>, "data">
template <tensor Z, tensor Y>
constexpr auto softmax_cross_entropy(Z const& logits, Y const& labels, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  static_assert(
      !ops_detail::labels_do_not_match_rows<layout_t<Z>, layout_t<Y>>,
      "ashlar::nn::softmax_cross_entropy: labels have one dimension less than logits, one label per row; a distribution for each row is of floating-point numbers");
  static_assert(
      !ops_detail::labels_are_not_integers<layout_t<Z>, layout_t<Y>, element_t<Y>>,
      "ashlar::nn::softmax_cross_entropy: labels are integers, the class of each row; write cast<int>(labels), or give a distribution with one number per logit");
  static_assert(ops_detail::real_or_complex_elements<Z>,
                "ashlar::nn::softmax_cross_entropy: the elements are integers; write cast<double>(x)");
  return apply(ops_detail::cross_entropy_op{}, logits, labels);
}

/// Sum over all rows of weight times -log(softmax(logits))[label]. It is the mean over n of the rows if their weights
/// are 1 / n and all others are 0. So it can be the mean over the examples in a padded batch. A row of weight 0 has no
/// effect, whatever its label. There is no derivative with respect to the weights.
/// Shape: logits (rows..., classes), labels and weights (rows...); a scalar.
/// Cost: no communication; the result is partial over the axes that shard the rows.
/// Error: as without weights, and a label of -1 throws, too, if its weight is not 0. Nor compile weights of another shape or of another element type than the logits.
/// Example: nn::softmax_cross_entropy(z<layout<"data", none>>, y<layout<"data">, int>, w<layout<"data">>) -> partial<layout<>, "data">
template <tensor Z, tensor Y, tensor W>
constexpr auto softmax_cross_entropy(Z const& logits, Y const& labels, W const& weights,
                                     call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  static_assert(
      !ops_detail::labels_do_not_match_rows<layout_t<Z>, layout_t<Y>>,
      "ashlar::nn::softmax_cross_entropy: labels have one dimension less than logits, one label per row; a distribution for each row takes no weights beside it");
  static_assert(
      !ops_detail::labels_are_not_integers<layout_t<Z>, layout_t<Y>, element_t<Y>>,
      "ashlar::nn::softmax_cross_entropy: labels are integers, the class of each row, and weights follow them; write cast<int>(labels)");
  static_assert(!ops_detail::labels_do_not_match_rows<layout_t<Z>, layout_t<W>>,
                "ashlar::nn::softmax_cross_entropy: weights have one dimension less than logits, one weight per row");
  static_assert(
      std::is_same_v<element_t<Z>, element_t<W>>,
      "ashlar::nn::softmax_cross_entropy: logits and weights have different element types; make the weights of the logits'");
  static_assert(ops_detail::real_or_complex_elements<Z>,
                "ashlar::nn::softmax_cross_entropy: the elements are integers; write cast<double>(x)");
  return apply(ops_detail::weighted_cross_entropy_op{}, logits, labels, weights);
}

/// Mean over all elements of (a - b)^2.
/// Shape: a scalar.
/// Cost: no communication; the result is partial over the axes that shard the elements.
/// Error: integers do not compile, nor do operands of different numbers of dimensions.
/// Example: nn::mean_squared_error(a<layout<"data", none>>, b<layout<"data", none>>) -> partial<layout<>, "data">
template <tensor A, tensor B>
constexpr auto mean_squared_error(A const& a, B const& b, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  return meta_detail::checked<ops_detail::mean_squared_error_elements<A, B>>(
      [](auto const& x, auto const& y) { return mean(square(x - y)); }, a, b);
}

/// Mean over all rows of -sum over classes of target log(softmax(logits)), from a distribution of labels per row (or
/// any weights). A masked class, with logit -infinity, adds nothing if its target is 0. Both operands have derivatives.
/// Shape: logits and targets (rows..., classes); a scalar.
/// Cost: no communication; the result is partial over the axes that shard the rows.
/// Error: a distribution of other elements than the logits does not compile.
/// Example: nn::softmax_cross_entropy(z<layout<"data", none>>, y<layout<"data", none>>) -> partial<layout<>, "data">
template <tensor Z, tensor Y>
  requires(rank_v<Z> == rank_v<Y> && !std::numeric_limits<element_t<Y>>::is_integer)
constexpr auto softmax_cross_entropy(Z const& logits, Y const& targets, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  static_assert(
      std::is_same_v<element_t<Z>, element_t<Y>>,
      "ashlar::nn::softmax_cross_entropy: logits and distributions have different element types; cast one of them");
  return apply(ops_detail::distribution_cross_entropy_op{}, logits, targets);
}

/// Mean over all elements of -(t log p + (1 - t) log(1 - p)), from probabilities p. As in Keras, p is clipped to
/// [epsilon, 1 - epsilon]. If p is clipped, the derivative with respect to p is 0.
/// Cost: no communication; the result is partial over the axes that shard the elements.
/// Error: integers do not compile.
/// Example: nn::binary_cross_entropy(p<layout<"data">>, t<layout<"data">>) -> partial<layout<>, "data">
template <tensor P, tensor Y>
constexpr auto binary_cross_entropy(P const& probabilities, Y const& targets,
                                    element_t<P> epsilon = element_t<P>(1e-7)) {
  return meta_detail::checked<ops_detail::binary_cross_entropy_elements<P, false>>(
      [&]<class T>(T const& p, auto const& t) {
        return mean(ops_detail::arithmetic(ops_detail::fn::binary_cross_entropy<element_t<T>>{epsilon}, p, t));
      },
      probabilities, targets);
}
/// Binary cross-entropy from logits, whose sigmoids are the probabilities. Nothing overflows and nothing is clipped.
/// Cost: no communication; the result is partial over the axes that shard the elements.
/// Error: integers do not compile.
/// Example: nn::binary_cross_entropy_from_logits(z<layout<"data">>, t<layout<"data">>) -> partial<layout<>, "data">
template <tensor Z, tensor Y>
constexpr auto binary_cross_entropy_from_logits(Z const& logits, Y const& targets, call_site w = call_site::current()) {
  plan_detail::call_in_errors const call(w);
  return meta_detail::checked<ops_detail::binary_cross_entropy_elements<Z, true>>(
      [](auto const& z, auto const& t) {
        return mean(ops_detail::arithmetic(ops_detail::fn::binary_cross_entropy_from_logits{}, z, t));
      },
      logits, targets);
}

}  // namespace ashlar::nn
