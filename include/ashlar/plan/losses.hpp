// Losses beside those of integer labels: cross-entropy from distributions, binary cross-entropy.
#pragma once
#include "ashlar/plan/activations.hpp"
#include "ashlar/plan/softmax.hpp"

namespace ashlar {

namespace detail {
template <class Logit, class Target>
struct distribution_has_other_elements {
  static constexpr bool value = !std::is_same_v<Logit, Target>;
};
}  // namespace detail

/// A scalar from logits and as many weights.
struct distribution_rule {
  using words = detail::softmax_words;
  template <class T, class>
  using element = T;
  static constexpr ruled rule(layout_value const& logits, layout_value const& targets) {
    if (ruled const r = whole_dimensions_rule(1u << (logits.rank - 1), logits); r.why != fault::fits) return r;
    if (targets.levels) return ruled::wrong(fault::not_linear, first_axis(targets.partial()));
    for (int d = 0; d < logits.rank; ++d)
      if (targets.dim[d] != logits.dim[d])
        return ruled::wrong(fault::one_sided, first_axis(targets.dim[d].mask() ^ logits.dim[d].mask()));
    return reduction_rule(op_sum, (1u << logits.rank) - 1u, logits);
  }
  static constexpr shape extents(layout_value const&, shape const& logits, shape const& targets) {
    if (!(logits == targets))
      detail::fail_extents("ashlar::softmax_cross_entropy: a distribution has one number a logit", logits, targets);
    return {};
  }
};

struct distribution_cross_entropy_pullback_op {
  using words = detail::softmax_words;
  template <class T, class, class>
  using element = T;
  static constexpr ruled rule(layout_value const& ct, layout_value const& logits, layout_value const& targets) {
    return cross_entropy_pullback_op::rule(ct, logits, targets);
  }
  static constexpr shape extents(layout_value const&, shape const&, shape const& logits, shape const&) { return logits; }
};

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

/// Mean over all rows of -sum over classes of target log(softmax(logits)), from a distribution of labels for each row (or
/// any weights). A class at -infinity, masked, adds nothing where its target is 0. Derivatives by both.
/// Shape: logits and targets (rows..., classes); a scalar. Cost: no communication; a sum pends over the axes that shard
/// the rows.
/// Example: both of layout<"data", none>: partial<layout<>, "data">
template <tensor Z, tensor Y>
  requires(rank_v<Z> == rank_v<Y> && !std::numeric_limits<element_t<Y>>::is_integer)
constexpr auto softmax_cross_entropy(Z const& logits, Y const& targets) {
  static_assert(!detail::distribution_has_other_elements<element_t<Z>, element_t<Y>>::value,
                "ashlar::softmax_cross_entropy: logits and distributions have different element types; cast one of them");
  return apply(distribution_cross_entropy_op{}, logits, targets);
}

namespace fn {

/// -(t log p + (1 - t) log(1 - p)), p no nearer to 0 and 1 than epsilon.
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
    return -(t * detail::math_log(q) + (T(1) - t) * detail::math_log1p(-q));
  }
  template <int I>
  constexpr auto pullback(auto const& ct, auto const&, auto const& p, auto const& t) const;
};

/// The slope of that by p, which is 0 where p is clipped, and by t.
template <class S, int I>
struct binary_cross_entropy_slope {
  static constexpr linearity kind = linearity::nonlinear;
  binary_cross_entropy<S> f;
  template <class T>
  ASHLAR_FUNCTION T operator()(T p, T t) const {
    T const q = f.clipped(p);
    if (I == 1) return detail::math_log1p(-q) - detail::math_log(q);
    return p < q || q < p ? T(0) : (p - t) / (p * (T(1) - p));
  }
};
template <class S>
template <int I>
constexpr auto binary_cross_entropy<S>::pullback(auto const& ct, auto const&, auto const& p, auto const& t) const {
  return elementwise(multiply{}, ct, elementwise(binary_cross_entropy_slope<S, I>{*this}, p, t));
}

/// The same of p = sigmoid(z): max(z, 0) - z t + log(1 + exp(-|z|)).
struct binary_cross_entropy_from_logits {
  static constexpr linearity kind = linearity::nonlinear;
  template <class T>
  ASHLAR_FUNCTION T operator()(T z, T t) const {
    return (z > T(0) ? z : T(0)) - z * t + detail::math_log1p(detail::math_exp(z < T(0) ? z : -z));
  }
  struct slope {
    static constexpr linearity kind = linearity::nonlinear;
    template <class T>
    ASHLAR_FUNCTION T operator()(T z, T t) const {
      return detail::logistic(z) - t;
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

}  // namespace fn

/// Mean over all elements of -(t log p + (1 - t) log(1 - p)), from probabilities p, of which Keras and we take those nearer
/// than epsilon to 0 or 1 to be that near; there the derivative by p is 0.
/// Cost: no communication; a sum pends over the axes that shard the elements.
template <tensor P, tensor Y>
constexpr auto binary_cross_entropy(P const& probabilities, Y const& targets, element_t<P> epsilon = element_t<P>(1e-7)) {
  return mean(elementwise(fn::binary_cross_entropy<element_t<P>>{epsilon}, probabilities, targets));
}
/// The same from logits, whose sigmoids are the probabilities; nothing overflows and nothing is clipped.
template <tensor Z, tensor Y>
constexpr auto binary_cross_entropy_from_logits(Z const& logits, Y const& targets) {
  return mean(elementwise(fn::binary_cross_entropy_from_logits{}, logits, targets));
}

}  // namespace ashlar
