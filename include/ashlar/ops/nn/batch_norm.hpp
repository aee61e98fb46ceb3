// SPDX-License-Identifier: BSL-1.0
// Batch normalisation, channels last. One all-reduce gives the statistics of each channel over the whole batch.
#pragma once
#include "ashlar/meta/tree.hpp"
#include "ashlar/ops/nn/normalize.hpp"
#include "ashlar/ops/collectives.hpp"

namespace ashlar::nn {

/// Statistics over the whole batch, or over each rank's shard of it.
enum class statistics { global, per_shard };

/// Updates a moving mean or a moving variance towards the batch's. A batch of no rows leaves them alone.
enum class moving { mean, variance };

/// Moving averages of a channel's mean and variance: state of a model, without a gradient.
template <class Mean, class Variance>
struct moving_statistics {
  Mean mean;
  Variance variance;
  static constexpr auto names = ashlar::names("mean", "variance");
};
/// The result of batch_norm: the normalised value and the moving statistics after the batch.
template <class Y, class State>
struct batch_normalized {
  Y y;
  State state;
};

/// Options of batch_norm, with Keras' defaults.
struct batch_norm_options {
  double momentum = 0.99, epsilon = 1e-3;
};

}  // namespace ashlar::nn

namespace ashlar::ops_detail {

struct batch_norm_diagnostics {
  template <fault F, class Axis, class... L>
  static constexpr void report() {
    static_assert(
        !breaks<F, fault::one_sided, Axis, L...>::value,
        "ashlar::nn::batch_norm: the axis shards the channels of one operand and not of the other, or in another order or in other blocks; give scale, shift and moving statistics the layout of the channels");
    static_assert(!breaks<F, fault::not_linear, Axis, L...>::value,
                  "ashlar::nn::batch_norm: the tensor is partial over the axis; all_reduce or reduce_scatter it first");
  }
};

// Returns `out` if x and its per-channel parameters `of` fit.
constexpr rule_result with_channels(layout_value const& x, layout_value const& of, rule_result const& out) {
  rule_result const r = channels_rule(x, of);
  return r.why == fault::fits ? out : r;
}

constexpr void require_one_per_channel(shape const& x, shape const& numbers) {
  if (x[x.rank - 1] != numbers[numbers.rank - 1])
    // Compilers print the line on which a call begins.
    // clang-format off
    plan_detail::fail_extents("ashlar::nn::batch_norm: scale, shift and moving statistics have one number per channel, the last dimension of x",
        x, numbers);
  // clang-format on
}

// The moments of a channel are a column: its mean and its variance. They come from sums about a row of the shard, in
// double, and the ranks combine their parts by Chan's formula. So neither large means nor long sums lose digits. The
// moments give 3 coefficients per channel, factor, offset and mean, and y = factor (x - mean) + offset. This mean is
// treated as a constant: the derivative of the offset contains the path through it. Per-shard statistics have a leading
// dimension of shards.

/// The numbers of a channel in some rows: how many they are, their mean, and the sum of (x - mean)^2. The sum of the parts
/// of disjoint sets of rows is the part of their union.
/// Source: Chan, Golub and LeVeque, Algorithms for computing the sample variance, 1983.
struct channel_part {
  using part_of_a_sum = void;
  double count, mean, squares;

  channel_part() = default;
  ASHLAR_FUNCTION constexpr channel_part(double counted, double center, double spread)
      : count(counted), mean(center), squares(spread) {}
  /// 0 is the part of no rows.
  ASHLAR_FUNCTION constexpr explicit channel_part(int) : count(0), mean(0), squares(0) {}

  ASHLAR_FUNCTION friend constexpr channel_part operator+(channel_part const& a, channel_part const& b) {
    if (a.count == 0) return b;
    double const rows = a.count + b.count, apart = b.mean - a.mean, share = b.count / rows;
    return {rows, a.mean + apart * share, a.squares + b.squares + apart * apart * share * a.count};
  }
  friend constexpr bool operator==(channel_part const&, channel_part const&) = default;

  ASHLAR_FUNCTION constexpr double variance() const { return count == 0 ? 0 : squares / count; }
};

/// The part of each channel from a rank's rows.
struct channel_parts_op {
  using diagnostics = batch_norm_diagnostics;
  template <class>
  using element = channel_part;
  static constexpr rule_result rule(layout_value const& x) {
    if (x.levels) return rule_result::wrong(fault::not_linear, first_axis(x.partial()));
    return reduction_rule(op_sum, (1u << (x.rank - 1)) - 1u, x);
  }
  static constexpr shape extents(layout_value const&, shape const& x) { return shape::of(x[x.rank - 1]); }
};

struct moments_pullback_op : like_operand<batch_norm_diagnostics, 1> {
  bool per_shard;
  static constexpr rule_result rule(layout_value const& ct, layout_value const& x, layout_value const&) {
    return {with_reductions_of(ct, x)};
  }
};

/// The moments of a batch from the parts of all ranks. The gradient with respect to x contains the path through them.
struct moments_op {
  using diagnostics = batch_norm_diagnostics;
  template <class, class>
  using element = double;
  static constexpr rule_result rule(layout_value const&, layout_value const& parts) { return channel_sums_rule(parts); }
  static constexpr shape extents(layout_value const&, shape const&, shape const& parts) {
    return shape::of(2, parts[0]);
  }
  template <int I, class Ct, class Y, class X, class Parts>
    requires(I == 0)
  static constexpr auto pullback(Ct const& ct, Y const& y, X const& x, Parts const&) {
    return apply(moments_pullback_op{{}, false}, ct, x, y);
  }
};

/// The moments of each rank's rows.
struct moments_per_shard_op {
  using diagnostics = batch_norm_diagnostics;
  index_t shards = 1;
  template <class>
  using element = double;
  static constexpr rule_result rule(layout_value const& x) { return channel_sums_per_shard_rule(x); }
  constexpr shape extents(layout_value const&, shape const& x) const { return shape::of(shards, 2, x[x.rank - 1]); }
  template <int, class Ct, class Y, class X>
  static constexpr auto pullback(Ct const& ct, Y const& y, X const& x) {
    return apply(moments_pullback_op{{}, true}, ct, x, y);
  }
};

/// A moving mean and a moving variance as moments. They replace the batch's in inference.
struct moving_moments_op {
  using diagnostics = batch_norm_diagnostics;
  template <class, class>
  using element = double;
  static constexpr rule_result rule(layout_value const& mean, layout_value const& variance) {
    return with_channels(mean, variance, channel_sums_rule(mean));
  }
  static constexpr shape extents(layout_value const&, shape const& mean, shape const& variance) {
    require_one_per_channel(mean, variance);
    return shape::of(2, mean[0]);
  }
};

/// The cotangents of the moments (this class) and of scale and shift (coefficient_pullback_op). They may be partial.
template <bool Scaled>
struct coefficients_moments_pullback_op : like_operand<batch_norm_diagnostics, 1> {
  double epsilon;
  static constexpr rule_result rule(layout_value const& ct, auto const&...) { return {ct}; }
};

enum class coefficient { scale, shift };

template <coefficient Which>
struct coefficient_pullback_op : like_operand<batch_norm_diagnostics, 2> {
  double epsilon;
  static constexpr rule_result rule(layout_value const& ct, layout_value const&, layout_value const&) {
    return reduction_rule(op_sum, (1u << (ct.rank - 1)) - 1u, ct);
  }
};

/// Computes the coefficients from moments, and the scale and shift that the normalisation has.
template <bool Scaled, bool Shifted>
struct coefficients_op {
  using diagnostics = batch_norm_diagnostics;
  double epsilon;
  template <class...>
  using element = double;
  static constexpr rule_result rule(layout_value const& moments, auto const&... channels) {
    if (moments.levels) return rule_result::wrong(fault::not_linear, first_axis(moments.partial()));
    rule_result r{moments};
    ((r = r.why == fault::fits ? with_channels(moments, channels, r) : r), ...);
    return r;
  }
  static constexpr shape extents(layout_value const&, shape const& moments, auto const&... channels) {
    shape y = moments;
    y[y.rank - 2] = 3;
    (require_one_per_channel(moments, channels), ...);
    return y;
  }
  template <int I, class Ct, class Y, class M, class... Factors>
  constexpr auto pullback(Ct const& ct, Y const&, M const& moments, Factors const&... f) const {
    constexpr coefficient which = I == 1 && Scaled ? coefficient::scale : coefficient::shift;
    if constexpr (I == 0 && Scaled)
      return apply(coefficients_moments_pullback_op<true>{{}, epsilon}, ct, moments, first_operand(f...));
    else if constexpr (I == 0)
      return apply(coefficients_moments_pullback_op<false>{{}, epsilon}, ct, moments);
    else
      return apply(coefficient_pullback_op<which>{{}, epsilon}, ct, moments, operand_at<I - 1>(f...));
  }
};

/// factor ct: the cotangent of x for constant coefficients.
struct channel_affine_pullback_op : like_operand<batch_norm_diagnostics> {
  static constexpr rule_result rule(layout_value const& ct, layout_value const&) { return {ct}; }
};

/// The cotangent of the coefficients: sums over the batch, which may be partial.
struct channel_affine_sums_op : like_operand<batch_norm_diagnostics, 2> {
  static constexpr rule_result rule(layout_value const& ct, layout_value const& x, layout_value const& coefficients) {
    rule_result r = elementwise_rule(linearity::linear_in_first, ct, x);
    if (r.why != fault::fits) return r;
    if (coefficients.rank == 2) return channel_sums_rule(r.out);
    axis_mask const partial = r.out.partial();
    r.out.drop_partial(partial);
    r = channel_sums_per_shard_rule(r.out);
    r.out.add_partial(op_sum, partial);
    return r;
  }
};

/// factor (x - mean) + offset per channel.
struct channel_affine_op {
  using diagnostics = batch_norm_diagnostics;
  template <class T, class>
  using element = T;
  static constexpr rule_result rule(layout_value const& x, layout_value const& coefficients) {
    if (x.levels) return rule_result::wrong(fault::not_linear, first_axis(x.partial()));
    return channels_rule(x, coefficients);
  }
  static constexpr shape extents(layout_value const&, shape const& x, shape const& coefficients) {
    require_one_per_channel(x, coefficients);
    return x;
  }
  template <int I, class Ct, class Y, class X, class C>
  static constexpr auto pullback(Ct const& ct, Y const&, X const& x, C const& coefficients) {
    if constexpr (I == 0)
      return apply(channel_affine_pullback_op{}, ct, coefficients);
    else
      return apply(channel_affine_sums_op{}, ct, x, coefficients);
  }
};

template <moving Which>
struct moving_op {
  using diagnostics = batch_norm_diagnostics;
  double momentum;
  template <class, class T>
  using element = T;
  static constexpr rule_result rule(layout_value const& parts, layout_value const& old) {
    if (parts.levels) return rule_result::wrong(fault::not_linear, first_axis(parts.partial()));
    return with_channels(old, parts, {old});
  }
  static constexpr shape extents(layout_value const&, shape const& parts, shape const& old) {
    require_one_per_channel(parts, old);
    return old;
  }
};

// Axes that shard dimensions other than the last.
template <class X>
inline constexpr axis_mask batch_axes = [] {
  layout_value const v = plan_detail::value_on<mesh_t<X>, layout_t<X>>;
  return v.sharding() & ~v.dim[v.rank - 1].mask();
}();

// `none` means an absent operand and has no layout.
template <class X>
inline constexpr bool is_vector_or_none = rank_v<X> == 1;
template <>
inline constexpr bool is_vector_or_none<none_t> = true;
template <class... X>
struct numbers_of_channels {
  static constexpr bool ok = (is_vector_or_none<X> && ...);
  static constexpr void say() {
    static_assert(ok, "ashlar::nn::batch_norm: scale, shift and moving statistics have one dimension, the channels");
  }
};

template <class M, class Scale, class Shift>
constexpr auto coefficients(double epsilon, M const& moments, Scale const& scale, Shift const& shift) {
  constexpr bool scaled = !std::is_same_v<Scale, none_t>, shifted = !std::is_same_v<Shift, none_t>;
  coefficients_op<scaled, shifted> const op{epsilon};
  if constexpr (scaled && shifted)
    return apply(op, moments, scale, shift);
  else if constexpr (scaled)
    return apply(op, moments, scale);
  else if constexpr (shifted)
    return apply(op, moments, shift);
  else
    return apply(op, moments);
}

template <statistics Over, class X, class Parts>
constexpr auto moments_of(X const& x, Parts const& parts, call_site const& w) {
  if constexpr (Over == statistics::per_shard) {
    return apply(moments_per_shard_op{x.mesh().sizes().ranks(batch_axes<X>)}, x);
  } else {
    auto const m = apply(moments_op{}, x, parts);
    // All ranks have the same moments, and each rank uses them for its own part of x: their cotangent is partial.
    return relayout(destination<layout_t<decltype(m)>, batch_axes<X>>{}, m, w);
  }
}

}  // namespace ashlar::ops_detail

namespace ashlar::nn {

/// (x - mean) / sqrt(variance + epsilon) * scale + shift, with mean and variance of each channel over the whole batch.
/// The new moving averages are momentum times the old ones plus 1 - momentum times the batch's. The variance is the
/// biased one. A scale of `none` is 1, and a shift of `none` is 0. With statistics::per_shard each rank normalises by
/// its shard's statistics, but the moving averages still use the whole batch. A batch of no rows leaves them alone.
/// Shape: x (..., channels), all others (channels).
/// Pre: the channels of all are sharded alike; all other dimensions of x may be sharded in any way.
/// Collective: every rank calls it; it blocks.
/// Cost: one all_reduce of 3 doubles per channel over the axes that shard the batch, none if no axis does. Backward one
/// of 2, and none with statistics::per_shard. The gradients of scale and shift are partial, like all gradients of
/// parameters.
/// Error: does not compile if x is partial, or if its channels are sharded otherwise than theirs. Scale, shift and
/// statistics that are no vectors, and integers, do not compile either.
/// Example: auto [y, state] = nn::batch_norm(x, none, shift, moving);
template <statistics Over = statistics::global, tensor X, class Scale, class Shift, class Mean, class Variance>
[[nodiscard]] constexpr auto batch_norm(X const& x, Scale const& scale, Shift const& shift,
                                        moving_statistics<Mean, Variance> const& state,
                                        batch_norm_options const& o = {}, call_site w = call_site::current()) {
  using namespace ops_detail;
  static_assert(real_or_complex_elements<X>,
                "ashlar::nn::batch_norm: the elements are integers; write cast<double>(x)");
  meta_detail::hold<numbers_of_channels<Scale, Shift, Mean, Variance>>();
  auto const parts = all_reduce(apply(channel_parts_op{}, stop_gradient(x)), w);
  auto const y = apply(channel_affine_op{}, x, coefficients(o.epsilon, moments_of<Over>(x, parts, w), scale, shift));
  auto const mean = apply(moving_op<moving::mean>{o.momentum}, parts, state.mean);
  auto const variance = apply(moving_op<moving::variance>{o.momentum}, parts, state.variance);
  using State = moving_statistics<std::remove_const_t<decltype(mean)>, std::remove_const_t<decltype(variance)>>;
  return batch_normalized<std::remove_const_t<decltype(y)>, State>{y, {mean, variance}};
}

/// batch_norm with the moving statistics, for inference.
/// Shape: as x.
/// Cost: no communication.
/// Error: integers do not compile.
/// Example: auto const y = nn::batch_norm_inference(x, none, shift, state);
template <tensor X, class Scale, class Shift, class Mean, class Variance>
constexpr auto batch_norm_inference(X const& x, Scale const& scale, Shift const& shift,
                                    moving_statistics<Mean, Variance> const& state,
                                    double epsilon = batch_norm_options{}.epsilon) {
  static_assert(ops_detail::real_or_complex_elements<X>,
                "ashlar::nn::batch_norm_inference: the elements are integers; write cast<double>(x)");
  meta_detail::hold<ops_detail::numbers_of_channels<Scale, Shift, Mean, Variance>>();
  auto const moments = apply(ops_detail::moving_moments_op{}, state.mean, state.variance);
  return apply(ops_detail::channel_affine_op{}, x, ops_detail::coefficients(epsilon, moments, scale, shift));
}

}  // namespace ashlar::nn
