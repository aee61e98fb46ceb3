// Layer and RMS normalisation: over the last dimensions, which are whole.
#pragma once
#include "ashlar/layout/normalize.hpp"
#include "ashlar/plan/functions.hpp"

namespace ashlar {

namespace detail {

struct normalize_words {
  template <fault F, class Axis, class... L>
  static constexpr void say() {
    static_assert(!breaks<F, fault::sharded_dimension, Axis, L...>::value,
                  "ashlar::layer_norm: the axis shards a dimension that is normalised, or its factors, which the operation reads as a whole; all_gather it first");
    static_assert(!breaks<F, fault::not_linear, Axis, L...>::value,
                  "ashlar::layer_norm: a reduction pends over the axis; all_reduce or reduce_scatter it first");
  }
};

// The last Dims dimensions of a tensor of some rank, and those before them, as masks.
constexpr unsigned last_dimensions(int rank, int dims) { return (1u << rank) - (1u << (rank - dims)); }
constexpr unsigned first_dimensions(int rank, int dims) { return (1u << (rank - dims)) - 1u; }

constexpr shape last_extents(shape const& x, int dims) {
  shape s;
  for (int d = x.rank - dims; d < x.rank; ++d) s.extent[s.rank++] = x[d];
  return s;
}

}  // namespace detail

/// x minus its mean (where Centered), divided by the root of its mean square, over the last Dims dimensions.
template <bool Centered, int Dims>
struct normalize_op;

/// The cotangent of x; it may pend.
template <bool Centered, int Dims>
struct normalize_pullback_op {
  using words = detail::normalize_words;
  double epsilon;
  template <class T, class, class>
  using element = T;
  static constexpr ruled rule(layout_value const& ct, layout_value const& x, layout_value const&) {
    return elementwise_rule(linearity::linear_in_first, ct, x);
  }
  static constexpr shape extents(layout_value const&, shape const&, shape const& x, shape const&) { return x; }
};
/// The cotangent of the factors: the sum over all rows.
template <bool Centered, int Dims>
struct normalize_scale_pullback_op {
  using words = detail::normalize_words;
  double epsilon;
  template <class T, class>
  using element = T;
  static constexpr ruled rule(layout_value const& ct, layout_value const& x) {
    ruled const r = elementwise_rule(linearity::linear_in_first, ct, x);
    return r.why == fault::fits ? reduction_rule(op_sum, detail::first_dimensions(x.rank, Dims), r.out) : r;
  }
  static constexpr shape extents(layout_value const&, shape const&, shape const& x) { return detail::last_extents(x, Dims); }
};

template <bool Centered, int Dims>
struct normalize_op {
  using words = detail::normalize_words;
  double epsilon;
  template <class T, class...>
  using element = T;
  static constexpr ruled rule(layout_value const& x, layout_value const& scale) {
    return normalize_rule(detail::last_dimensions(x.rank, Dims), x, scale);
  }
  static constexpr ruled rule(layout_value const& x, layout_value const& scale, layout_value const& shift) {
    ruled const r = rule(x, shift);
    return r.why == fault::fits ? rule(x, scale) : r;
  }
  static constexpr shape extents(layout_value const&, shape const& x, shape const& scale) {
    if (!(detail::last_extents(x, Dims) == scale))
      detail::fail_extents("ashlar::layer_norm: the factors have the extents of the last dimensions of x", x, scale);
    return x;
  }
  static constexpr shape extents(layout_value const& out, shape const& x, shape const& scale, shape const& shift) {
    return extents(out, x, shift), extents(out, x, scale);
  }
  template <int I, class Ct, class Y, class X, class Scale, class... Shift>
  constexpr auto pullback(Ct const& ct, Y const&, X const& x, Scale const& scale, Shift const&...) const {
    constexpr unsigned rows = detail::first_dimensions(rank_v<X>, Dims);
    if constexpr (I == 0)
      return apply(normalize_pullback_op<Centered, Dims>{epsilon}, ct, x, scale);
    else if constexpr (I == 1)
      return apply(normalize_scale_pullback_op<Centered, Dims>{epsilon}, ct, x);
    else if constexpr (rows == 0)
      return ct;
    else
      return apply(reduce_op<op::sum, rows>{}, ct);
  }
};

namespace detail {
template <class X, class Scale>
struct factors_have_more_dimensions {
  static constexpr bool value = Scale::rank < 1 || Scale::rank > X::rank;
};
template <bool Centered, class X, class Scale, class... Shift>
constexpr auto normalize(double epsilon, X const& x, Scale const& scale, Shift const&... shift) {
  if constexpr (factors_have_more_dimensions<layout_t<X>, layout_t<Scale>>::value) {
    static_assert(!factors_have_more_dimensions<layout_t<X>, layout_t<Scale>>::value,
                  "ashlar::layer_norm: the factors have one dimension or more, the last ones of x");
    return x;
  } else {
    return apply(normalize_op<Centered, rank_v<Scale>>{epsilon}, x, scale, shift...);
  }
}
}  // namespace detail

/// (x - mean) / sqrt(variance + epsilon) * scale + shift, with mean and variance over the last dimensions: those that
/// scale and shift have.
/// Shape: that of x. Pre: the dimensions are whole, scale and shift are on every rank.
/// Cost: no communication; one kernel. Derivatives: none either; those of scale and shift pend over the axes that shard x.
/// Example: layer_norm(x, scale, shift, 1e-5) of layout<"data", none> and layout<none> is layout<"data", none>
template <tensor X, tensor Scale, tensor Shift>
constexpr auto layer_norm(X const& x, Scale const& scale, Shift const& shift, double epsilon) {
  return detail::normalize<true>(epsilon, x, scale, shift);
}

/// x / sqrt(mean of x^2 + epsilon) * scale, with the mean over the last dimensions: those that scale has. Conditions and
/// cost: those of layer_norm.
template <tensor X, tensor Scale>
constexpr auto rms_norm(X const& x, Scale const& scale, double epsilon) {
  return detail::normalize<false>(epsilon, x, scale);
}

}  // namespace ashlar
