// SPDX-License-Identifier: BSL-1.0
// Layer and RMS normalisation over the last dimensions, which no axis shards.
#pragma once
#include "ashlar/layout/elementwise.hpp"
#include "ashlar/ops/functions.hpp"

namespace ashlar::ops_detail {

/// The layout of x normalised over the dimensions in a mask: the layout of x. Factors and offsets have these dimensions
/// only. No axis may shard the dimensions, and every rank has all factors.
constexpr rule_result normalize_rule(unsigned dims, layout_value const& x, layout_value const& factor) {
  if (factor.levels) return rule_result::wrong(fault::not_linear, first_axis(factor.partial()));
  if (axis_mask const m = factor.sharding()) return rule_result::wrong(fault::sharded_dimension, first_axis(m));
  return whole_dimensions_rule(dims, x);
}

/// Requires the channel dimension of `x` and of its per-channel parameters `of` to be sharded alike, and `of` not to
/// be partial.
constexpr rule_result channels_rule(layout_value const& x, layout_value const& of) {
  if (of.levels) return rule_result::wrong(fault::not_linear, first_axis(of.partial()));
  rule_result const alike = split_alike(x.dim[x.rank - 1], of.dim[of.rank - 1]);
  return alike.why == fault::fits ? rule_result{x} : alike;
}

/// The layout of 2 sums per channel over all other dimensions of x. It is partial over the axes that shard those
/// dimensions.
/// Example: layout<"data", none, none, "model"> gives partial<layout<none, "model">, "data">
constexpr rule_result channel_sums_rule(layout_value const& x) {
  rule_result const sums = reduction_rule(op_sum, (1u << (x.rank - 1)) - 1u, x);
  if (sums.why != fault::fits) return sums;
  rule_result r;
  r.out.rank = 2;
  r.out.dim[1] = x.dim[x.rank - 1];
  r.out.add_partial(op_sum, sums.out.partial());
  return r;
}

/// The layout of such sums per shard: a leading dimension numbers the ranks that have different elements of a channel.
/// Example: layout<"data", none, none, "model"> gives layout<"data", none, "model">
constexpr rule_result channel_sums_per_shard_rule(layout_value const& x) {
  rule_result r;
  if (x.levels) return rule_result::wrong(fault::not_linear, first_axis(x.partial()));
  r.out.rank = 3;
  for (int d = 0; d + 1 < x.rank; ++d)
    for (int i = 0; i < x.dim[d].size; ++i) r.out.dim[0].push(x.dim[d][i]);
  r.out.dim[2] = x.dim[x.rank - 1];
  return r;
}

struct normalize_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::sharded_dimension, Axis, L...>::value,
        "ashlar::nn::layer_norm: the axis shards a dimension that is normalised, or its factors, which the operation reads as a whole; all_gather it first");
    static_assert(!breaks<F, fault::not_linear, Axis, L...>::value,
                  "ashlar::nn::layer_norm: the tensor is partial over the axis; all_reduce or reduce_scatter it first");
  }
};

// The last `dims` dimensions of a tensor, and the dimensions before them, as masks.
constexpr unsigned last_dimensions(int rank, int dims) { return (1u << rank) - (1u << (rank - dims)); }
constexpr unsigned first_dimensions(int rank, int dims) { return (1u << (rank - dims)) - 1u; }

constexpr shape last_extents(shape const& x, int dims) {
  shape s;
  for (int d = x.rank - dims; d < x.rank; ++d) s.extent[s.rank++] = x[d];
  return s;
}

/// x minus its mean (if Centered), divided by the root of its mean square, over the last Dims dimensions.
template <bool Centered, int Dims>
struct normalize_op;

/// The cotangent of x; it may be partial.
template <bool Centered, int Dims>
struct normalize_pullback_op : like_operand<normalize_diagnostics, 1> {
  double epsilon;
  static constexpr rule_result rule(layout_value const& ct, layout_value const& x, layout_value const&) {
    return elementwise_rule(linearity::linear_in_first, ct, x);
  }
};

/// The cotangent of the factors: the sum over all rows.
template <bool Centered, int Dims>
struct normalize_scale_pullback_op {
  using diagnostics = normalize_diagnostics;
  double epsilon;
  template <class T, class>
  using element = T;
  static constexpr rule_result rule(layout_value const& ct, layout_value const& x) {
    rule_result const r = elementwise_rule(linearity::linear_in_first, ct, x);
    return r.why == fault::fits ? reduction_rule(op_sum, first_dimensions(x.rank, Dims), r.out) : r;
  }
  static constexpr shape extents(layout_value const&, shape const&, shape const& x) { return last_extents(x, Dims); }
};

template <bool Centered, int Dims>
struct normalize_op {
  using diagnostics = normalize_diagnostics;
  double epsilon;
  template <class T, class...>
  using element = T;
  static constexpr rule_result rule(layout_value const& x, layout_value const& scale) {
    return normalize_rule(last_dimensions(x.rank, Dims), x, scale);
  }
  static constexpr rule_result rule(layout_value const& x, layout_value const& scale, layout_value const& shift) {
    rule_result const r = rule(x, shift);
    return r.why == fault::fits ? rule(x, scale) : r;
  }
  static constexpr shape extents(layout_value const&, shape const& x, shape const& scale) {
    if (!(last_extents(x, Dims) == scale))
      plan_detail::fail_extents("ashlar::nn::layer_norm: the factors have the extents of the last dimensions of x", x,
                                scale);
    return x;
  }
  static constexpr shape extents(layout_value const& out, shape const& x, shape const& scale, shape const& shift) {
    return extents(out, x, shift), extents(out, x, scale);
  }
  template <int I, class Ct, class Y, class X, class Scale, class... Shift>
  constexpr auto pullback(Ct const& ct, Y const&, X const& x, Scale const& scale, Shift const&...) const {
    constexpr unsigned rows = first_dimensions(rank_v<X>, Dims);
    if constexpr (I == 0)
      return apply(normalize_pullback_op<Centered, Dims>{{}, epsilon}, ct, x, scale);
    else if constexpr (I == 1)
      return apply(normalize_scale_pullback_op<Centered, Dims>{epsilon}, ct, x);
    else if constexpr (rows == 0)
      return ct;
    else
      return apply(reduce_op<op::sum, rows>{}, ct);
  }
};

template <bool Centered, class X, class Scale>
struct normalize_operands {
  static constexpr bool factors = rank_v<Scale> >= 1 && rank_v<Scale> <= rank_v<X>,
                        elements = real_or_complex_elements<X>, ok = factors && elements;
  static constexpr void say() {
    static_assert(factors, "ashlar::nn::layer_norm: the factors have one dimension or more, the last ones of x");
    static_assert(!factors || elements || !Centered,
                  "ashlar::nn::layer_norm: the elements are integers; write cast<double>(x)");
    static_assert(!factors || elements || Centered,
                  "ashlar::nn::rms_norm: the elements are integers; write cast<double>(x)");
  }
};

template <bool Centered, class X, class Scale, class... Shift>
constexpr auto normalize(double epsilon, X const& x, Scale const& scale, Shift const&... shift) {
  return checked<normalize_operands<Centered, X, Scale>>(
      [&](auto const&... t) { return apply(normalize_op<Centered, rank_v<Scale>>{epsilon}, t...); }, x, scale,
      shift...);
}

}  // namespace ashlar::ops_detail

namespace ashlar::nn {

/// (x - mean) / sqrt(variance + epsilon) * scale + shift, with mean and variance over the last dimensions, as many as
/// scale and shift have.
/// Shape: as x.
/// Pre: no axis shards these dimensions, and every rank has all of scale and shift.
/// Cost: no communication; one kernel. The derivatives need no communication either; the derivatives with respect to
/// scale and shift are partial over the axes that shard x.
/// Error: does not compile if an axis shards the normalised dimensions, or if an operand is partial. Scale and shift
/// with more dimensions than x, and integers, do not compile either.
/// Example: nn::layer_norm(x<layout<"data", none>>, scale<layout<none>>, shift<layout<none>>, 1e-5) -> layout<"data", none>
template <tensor X, tensor Scale, tensor Shift>
constexpr auto layer_norm(X const& x, Scale const& scale, Shift const& shift, double epsilon) {
  return ops_detail::normalize<true>(epsilon, x, scale, shift);
}

/// x / sqrt(mean of x^2 + epsilon) * scale, with the mean over the last dimensions, as many as scale has.
/// Shape, Pre, Cost: as layer_norm.
/// Error: as layer_norm.
/// Example: nn::rms_norm(x<layout<"data", none>>, scale<layout<none>>, 1e-5) -> layout<"data", none>
template <tensor X, tensor Scale>
constexpr auto rms_norm(X const& x, Scale const& scale, double epsilon) {
  return ops_detail::normalize<false>(epsilon, x, scale);
}

}  // namespace ashlar::nn
