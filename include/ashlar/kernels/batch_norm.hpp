// SPDX-License-Identifier: BSL-1.0
// Batch normalisation: moments of channels, coefficients computed from them, and their vector-Jacobian products.
#pragma once
#include "ashlar/kernels/channels.hpp"
#include "ashlar/kernels/rows.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/ops/batch_norm.hpp"

namespace ashlar::kernels_detail {

template <class T>
struct moments_pullback {
  T factor;  // 1 / n
  KOKKOS_FUNCTION T operator()(T x, T center, T d_mean, T d_square) const {
    return factor * (d_mean + 2 * d_square * (x - center));
  }
};
template <class T>
struct affine_map {
  KOKKOS_FUNCTION T operator()(T x, T factor, T offset, T mean) const { return factor * (x - mean) + offset; }
};
struct variance_of_moments {
  KOKKOS_FUNCTION double operator()(double first, double second) const {
    double const v = second - first * first;
    return v > 0 ? v : 0;
  }
};
struct inverse_deviation {
  double epsilon;
  KOKKOS_FUNCTION double operator()(double first, double second) const {
    return 1 / Kokkos::sqrt(variance_of_moments{}(first, second) + epsilon);
  }
};

struct factor_of_moments {
  double epsilon;
  KOKKOS_FUNCTION double operator()(double first, double second, double scale) const {
    return scale * inverse_deviation{epsilon}(first, second);
  }
};
struct sum_of_two {
  KOKKOS_FUNCTION double operator()(double a, double b) const { return a + b; }
};
// d(mean square) = -1/2 scale r^3 d(factor), where r^-2 = square - mean^2 + epsilon.
struct square_pullback {
  double epsilon;
  KOKKOS_FUNCTION double operator()(double d_factor, double first, double second, double scale) const {
    double const r = inverse_deviation{epsilon}(first, second);
    return -0.5 * scale * r * r * r * d_factor;
  }
};
// d(mean) = -2 mean d(mean square) - factor d(offset).
struct mean_pullback {
  double epsilon;
  KOKKOS_FUNCTION double operator()(double d_factor, double d_offset, double first, double second, double scale) const {
    double const r = inverse_deviation{epsilon}(first, second);
    return scale * r * (first * r * r * d_factor - d_offset);
  }
};
struct scale_pullback {
  double epsilon;
  KOKKOS_FUNCTION double operator()(double d_factor, double first, double second) const {
    return d_factor * inverse_deviation{epsilon}(first, second);
  }
};
struct moving_mean {
  double momentum;
  KOKKOS_FUNCTION double operator()(double first, double, double old) const { return old + (1 - momentum) * first; }
};
struct moving_variance {
  double momentum;
  KOKKOS_FUNCTION double operator()(double first, double second, double old) const {
    return momentum * old + (1 - momentum) * variance_of_moments{}(first, second);
  }
};

inline index_t channels_of(shape const& x) { return x[x.rank - 1]; }

// Row j of moments or coefficients: one number per channel.
inline kernels::strided<double> channel_row(kernels::shard<double const> const& x, int j) {
  return {x.data + j * channels_of(x.local_extents()), {1}};
}
// The same in T, the element type of the array to be normalised.
template <class T, class Space>
kernels::scratch_array<T> narrowed_row(Space const& space, kernels::scratch_memory memory,
                                       kernels::shard<double const> const& x, int j) {
  index_t const channels = channels_of(x.local_extents());
  auto row = memory.array<T>(channels);
  kernels::map(space, shape::of(channels), row.data(), same_value{}, channel_row(x, j));
  return row;
}

// One number per channel.
template <class T>
kernels::strided<T> channel_values_of(kernels::shard<T const> const& x) {
  return {x.data, {1}};
}
// Scale and shift; 1 and 0 if the normalisation has none.
template <bool Scaled, class... F>
auto scale_leaf(F const&... f) {
  if constexpr (Scaled)
    return channel_values_of(first_operand(f...));
  else
    return kernels::constant<double>{1};
}
template <bool Scaled, bool Shifted, class... F>
auto shift_leaf(F const&... f) {
  if constexpr (Shifted)
    return channel_values_of(operand_at < Scaled ? 1 : 0 > (f...));
  else
    return kernels::constant<double>{0};
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <statistics Over, class S, class T>
void run(ops_detail::moments_op<Over> const&, S const& space, scratch_memory, shard<double> const& m,
         shard<T const> const& x, shard<T const> const& center) {
  kernels_detail::rows_of const r(x.local_extents());
  index_t const n = Over == statistics::global ? kernels_detail::rows_of(x.global).rows : r.rows;
  channel_moments(space, x.data, r.rows, r.n, center.data, n ? 1. / static_cast<double>(n) : 0., m.data);
}
template <class S, class T>
void run(ops_detail::moments_pullback_op const& op, S const& space, scratch_memory memory, shard<T> const& g,
         shard<double const> const& ct, shard<T const> const& x, shard<T const> const& center) {
  kernels_detail::rows_of const r(x.local_extents());
  auto const n = static_cast<double>(op.per_shard ? r.rows : kernels_detail::rows_of(x.global).rows);
  auto const first = kernels_detail::narrowed_row<T>(space, memory, ct, 0),
             second = kernels_detail::narrowed_row<T>(space, memory, ct, 1);
  map_channels(space, r.rows, r.n, g.data, kernels_detail::moments_pullback<T>{static_cast<T>(1 / n)}, x.data,
               center.data, static_cast<T const*>(first.data()), static_cast<T const*>(second.data()));
}
template <class S, class T>
void run(ops_detail::moving_moments_op const&, S const& space, scratch_memory, shard<double> const& m,
         shard<T const> const& variance) {
  index_t const c = variance.local_size();
  fill(space, m.data, c, 0.);
  map(space, shape::of(c), m.data + c, kernels_detail::same_value{}, kernels_detail::channel_values_of(variance));
}

template <bool Scaled, bool Shifted, class S, class T, class... F>
void run(ops_detail::coefficients_op<Scaled, Shifted> const& op, S const& space, scratch_memory, shard<double> const& y,
         shard<double const> const& moments, shard<T const> const& center, F const&... f) {
  index_t const c = center.local_size();
  shape const row = shape::of(c);
  auto const first = kernels_detail::channel_row(moments, 0), second = kernels_detail::channel_row(moments, 1);
  map(space, row, y.data, kernels_detail::factor_of_moments{op.epsilon}, first, second,
      kernels_detail::scale_leaf<Scaled>(f...));
  map(space, row, y.data + c, kernels_detail::same_value{}, kernels_detail::shift_leaf<Scaled, Shifted>(f...));
  map(space, row, y.data + 2 * c, kernels_detail::sum_of_two{}, first, kernels_detail::channel_values_of(center));
}
template <bool Scaled, class S, class... Scale>
void run(ops_detail::coefficients_moments_pullback_op<Scaled> const& op, S const& space, scratch_memory,
         shard<double> const& g, shard<double const> const& ct, shard<double const> const& moments,
         Scale const&... scale) {
  auto const d_factor = kernels_detail::channel_row(ct, 0), d_offset = kernels_detail::channel_row(ct, 1),
             first = kernels_detail::channel_row(moments, 0), second = kernels_detail::channel_row(moments, 1);
  index_t const c = kernels_detail::channels_of(moments.local_extents());
  auto const by = kernels_detail::scale_leaf<Scaled>(scale...);
  map(space, shape::of(c), g.data, kernels_detail::mean_pullback{op.epsilon}, d_factor, d_offset, first, second, by);
  map(space, shape::of(c), g.data + c, kernels_detail::square_pullback{op.epsilon}, d_factor, first, second, by);
}
template <ops_detail::coefficient Which, class S, class T>
void run(ops_detail::coefficient_pullback_op<Which> const& op, S const& space, scratch_memory, shard<T> const& g,
         shard<double const> const& ct, shard<double const> const& moments, auto const&) {
  shape const row = shape::of(g.local_size());
  if constexpr (Which == ops_detail::coefficient::scale)
    map(space, row, g.data, kernels_detail::scale_pullback{op.epsilon}, kernels_detail::channel_row(ct, 0),
        kernels_detail::channel_row(moments, 0), kernels_detail::channel_row(moments, 1));
  else
    map(space, row, g.data, kernels_detail::same_value{}, kernels_detail::channel_row(ct, 1));
}

template <class S, class T>
void run(ops_detail::channel_affine_op const&, S const& space, scratch_memory memory, shard<T> const& y,
         shard<T const> const& x, shard<double const> const& coefficients) {
  kernels_detail::rows_of const r(x.local_extents());
  auto const factor = kernels_detail::narrowed_row<T>(space, memory, coefficients, 0),
             offset = kernels_detail::narrowed_row<T>(space, memory, coefficients, 1),
             mean = kernels_detail::narrowed_row<T>(space, memory, coefficients, 2);
  map_channels(space, r.rows, r.n, y.data, kernels_detail::affine_map<T>{}, x.data,
               static_cast<T const*>(factor.data()), static_cast<T const*>(offset.data()),
               static_cast<T const*>(mean.data()));
}
template <class S, class T>
void run(ops_detail::channel_affine_pullback_op const&, S const& space, scratch_memory memory, shard<T> const& g,
         shard<T const> const& ct, shard<double const> const& coefficients) {
  kernels_detail::rows_of const r(ct.local_extents());
  auto const factor = kernels_detail::narrowed_row<T>(space, memory, coefficients, 0);
  map_channels(space, r.rows, r.n, g.data, ops_detail::fn::multiply{}, ct.data, static_cast<T const*>(factor.data()));
}
template <class S, class T>
void run(ops_detail::channel_affine_sums_op const&, S const& space, scratch_memory memory, shard<double> const& g,
         shard<T const> const& ct, shard<T const> const& x, shard<double const> const& coefficients) {
  kernels_detail::rows_of const r(x.local_extents());
  auto const mean = kernels_detail::narrowed_row<T>(space, memory, coefficients, 2);
  channel_affine_sums(space, x.data, ct.data, r.rows, r.n, static_cast<T const*>(mean.data()), g.data);
  fill(space, g.data + 2 * r.n, r.n, 0.);
}
template <moving Which, class S, class T>
void run(ops_detail::moving_op<Which> const& op, S const& space, scratch_memory, shard<T> const& y,
         shard<double const> const& moments, shard<T const> const& old) {
  using average =
      std::conditional_t<Which == moving::mean, kernels_detail::moving_mean, kernels_detail::moving_variance>;
  map(space, shape::of(y.local_size()), y.data, average{op.momentum}, kernels_detail::channel_row(moments, 0),
      kernels_detail::channel_row(moments, 1), kernels_detail::channel_values_of(old));
}

}  // namespace ashlar::kernels
