// SPDX-License-Identifier: BSL-1.0
// Batch normalisation: moments of channels, coefficients computed from them, and their vector-Jacobian products.
#pragma once
#include "ashlar/kernels/nn/channels.hpp"
#include "ashlar/kernels/rows.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/ops/nn/batch_norm.hpp"

namespace ashlar::kernels_detail {

/// The part of `count` rows from the sums of x - first and of its square. As x is `first` in one of the rows, the sum of
/// squares about it is at most `count` times the one about the mean.
template <class T>
struct part_about_first {
  double count;
  KOKKOS_FUNCTION ops_detail::channel_part operator()(double sum, double squares, T first) const {
    double const mean = sum / count, about_mean = squares - sum * mean;
    return {count, static_cast<double>(first) + mean, about_mean < 0 ? 0. : about_mean};
  }
};
struct mean_of_part {
  KOKKOS_FUNCTION double operator()(ops_detail::channel_part const& p) const { return p.mean; }
};
struct variance_of_part {
  KOKKOS_FUNCTION double operator()(ops_detail::channel_part const& p) const { return p.variance(); }
};
template <class T>
struct moments_pullback {
  T factor;  // 1 / n
  KOKKOS_FUNCTION T operator()(T x, T mean, T d_mean, T d_variance) const {
    return factor * (d_mean + 2 * d_variance * (x - mean));
  }
};
template <class T>
struct affine_map {
  KOKKOS_FUNCTION T operator()(T x, T factor, T offset, T mean) const { return factor * (x - mean) + offset; }
};
struct factor_of_variance {
  double epsilon;
  KOKKOS_FUNCTION double operator()(double variance, double scale) const {
    return scale / Kokkos::sqrt(variance + epsilon);
  }
};
// d(variance) = -1/2 scale r^3 d(factor), where r^-2 = variance + epsilon.
struct variance_pullback {
  double epsilon;
  KOKKOS_FUNCTION double operator()(double d_factor, double variance, double scale) const {
    double const r = 1 / Kokkos::sqrt(variance + epsilon);
    return -0.5 * scale * r * r * r * d_factor;
  }
};
// d(mean) = -factor d(offset).
struct mean_pullback {
  double epsilon;
  KOKKOS_FUNCTION double operator()(double d_offset, double variance, double scale) const {
    return -factor_of_variance{epsilon}(variance, scale) * d_offset;
  }
};
template <moving Which>
struct moving_average {
  double momentum;
  KOKKOS_FUNCTION double operator()(ops_detail::channel_part const& batch, double old) const {
    if (batch.count == 0) return old;
    return momentum * old + (1 - momentum) * (Which == moving::mean ? batch.mean : batch.variance());
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

template <class Space, class T>
void parts_of_rows(Space const& space, kernels::scratch_memory memory, kernels::shard<T const> const& x,
                   ops_detail::channel_part* parts) {
  rows_of const r(x.local_extents());
  shape const row = shape::of(r.n);
  if (r.rows == 0) return kernels::fill(space, parts, r.n, ops_detail::channel_part(0));
  auto const sums = memory.array<double>(2 * r.n);
  channel_sums<moment_terms>(space, x.data, x.data, r.rows, r.n, x.data, sums.data());
  kernels::map(space, row, parts, part_about_first<T>{static_cast<double>(r.rows)},
               kernels::strided<double>{sums.data(), {1}}, kernels::strided<double>{sums.data() + r.n, {1}},
               kernels::strided<T>{x.data, {1}});
}
template <class Space>
void moments_of_parts(Space const& space, index_t channels, ops_detail::channel_part const* parts, double* moments) {
  kernels::strided<ops_detail::channel_part> const from{parts, {1}};
  kernels::map(space, shape::of(channels), moments, mean_of_part{}, from);
  kernels::map(space, shape::of(channels), moments + channels, variance_of_part{}, from);
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

template <class S, class T>
void run(ops_detail::channel_parts_op const&, S const& space, scratch_memory memory,
         shard<ops_detail::channel_part> const& parts, shard<T const> const& x) {
  kernels_detail::parts_of_rows(space, memory, x, parts.data);
}
template <class S>
void run(ops_detail::moments_op const&, S const& space, scratch_memory, shard<double> const& m, auto const&,
         shard<ops_detail::channel_part const> const& parts) {
  kernels_detail::moments_of_parts(space, parts.local_size(), parts.data, m.data);
}
template <class S, class T>
void run(ops_detail::moments_per_shard_op const&, S const& space, scratch_memory memory, shard<double> const& m,
         shard<T const> const& x) {
  index_t const channels = kernels_detail::channels_of(x.local_extents());
  auto const parts = memory.array<ops_detail::channel_part>(channels);
  kernels_detail::parts_of_rows(space, memory, x, parts.data());
  kernels_detail::moments_of_parts(space, channels, parts.data(), m.data);
}
template <class S, class T>
void run(ops_detail::moments_pullback_op const& op, S const& space, scratch_memory memory, shard<T> const& g,
         shard<double const> const& ct, shard<T const> const& x, shard<double const> const& moments) {
  kernels_detail::rows_of const r(x.local_extents());
  auto const n = static_cast<double>(op.per_shard ? r.rows : kernels_detail::rows_of(x.global).rows);
  auto const mean = kernels_detail::narrowed_row<T>(space, memory, moments, 0),
             d_mean = kernels_detail::narrowed_row<T>(space, memory, ct, 0),
             d_variance = kernels_detail::narrowed_row<T>(space, memory, ct, 1);
  map_channels(space, r.rows, r.n, g.data, kernels_detail::moments_pullback<T>{static_cast<T>(1 / n)}, x.data,
               mean.data(), d_mean.data(), d_variance.data());
}
template <class S, class T>
void run(ops_detail::moving_moments_op const&, S const& space, scratch_memory, shard<double> const& m,
         shard<T const> const& mean, shard<T const> const& variance) {
  index_t const c = variance.local_size();
  map(space, shape::of(c), m.data, kernels_detail::same_value{}, kernels_detail::channel_values_of(mean));
  map(space, shape::of(c), m.data + c, kernels_detail::same_value{}, kernels_detail::channel_values_of(variance));
}

template <bool Scaled, bool Shifted, class S, class... F>
void run(ops_detail::coefficients_op<Scaled, Shifted> const& op, S const& space, scratch_memory, shard<double> const& y,
         shard<double const> const& moments, F const&... f) {
  index_t const c = kernels_detail::channels_of(moments.local_extents());
  shape const row = shape::of(c);
  map(space, row, y.data, kernels_detail::factor_of_variance{op.epsilon}, kernels_detail::channel_row(moments, 1),
      kernels_detail::scale_leaf<Scaled>(f...));
  map(space, row, y.data + c, kernels_detail::same_value{}, kernels_detail::shift_leaf<Scaled, Shifted>(f...));
  map(space, row, y.data + 2 * c, kernels_detail::same_value{}, kernels_detail::channel_row(moments, 0));
}
template <bool Scaled, class S, class... Scale>
void run(ops_detail::coefficients_moments_pullback_op<Scaled> const& op, S const& space, scratch_memory,
         shard<double> const& g, shard<double const> const& ct, shard<double const> const& moments,
         Scale const&... scale) {
  auto const d_factor = kernels_detail::channel_row(ct, 0), d_offset = kernels_detail::channel_row(ct, 1),
             variance = kernels_detail::channel_row(moments, 1);
  index_t const c = kernels_detail::channels_of(moments.local_extents());
  auto const by = kernels_detail::scale_leaf<Scaled>(scale...);
  map(space, shape::of(c), g.data, kernels_detail::mean_pullback{op.epsilon}, d_offset, variance, by);
  map(space, shape::of(c), g.data + c, kernels_detail::variance_pullback{op.epsilon}, d_factor, variance, by);
}
template <ops_detail::coefficient Which, class S, class T>
void run(ops_detail::coefficient_pullback_op<Which> const& op, S const& space, scratch_memory, shard<T> const& g,
         shard<double const> const& ct, shard<double const> const& moments, auto const&) {
  shape const row = shape::of(g.local_size());
  if constexpr (Which == ops_detail::coefficient::scale)
    map(space, row, g.data, kernels_detail::factor_of_variance{op.epsilon}, kernels_detail::channel_row(moments, 1),
        kernels_detail::channel_row(ct, 0));
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
  map_channels(space, r.rows, r.n, y.data, kernels_detail::affine_map<T>{}, x.data, factor.data(), offset.data(),
               mean.data());
}
template <class S, class T>
void run(ops_detail::channel_affine_pullback_op const&, S const& space, scratch_memory memory, shard<T> const& g,
         shard<T const> const& ct, shard<double const> const& coefficients) {
  kernels_detail::rows_of const r(ct.local_extents());
  auto const factor = kernels_detail::narrowed_row<T>(space, memory, coefficients, 0);
  map_channels(space, r.rows, r.n, g.data, ops_detail::fn::multiply{}, ct.data, factor.data());
}
template <class S, class T>
void run(ops_detail::channel_affine_sums_op const&, S const& space, scratch_memory memory, shard<double> const& g,
         shard<T const> const& ct, shard<T const> const& x, shard<double const> const& coefficients) {
  kernels_detail::rows_of const r(x.local_extents());
  auto const mean = kernels_detail::narrowed_row<T>(space, memory, coefficients, 2);
  kernels_detail::channel_sums<kernels_detail::affine_terms>(space, x.data, ct.data, r.rows, r.n, mean.data(), g.data);
  fill(space, g.data + 2 * r.n, r.n, 0.);
}
template <nn::moving Which, class S, class T>
void run(ops_detail::moving_op<Which> const& op, S const& space, scratch_memory, shard<T> const& y,
         shard<ops_detail::channel_part const> const& parts, shard<T const> const& old) {
  map(space, shape::of(y.local_size()), y.data, kernels_detail::moving_average<Which>{op.momentum},
      kernels_detail::channel_values_of(parts), kernels_detail::channel_values_of(old));
}

}  // namespace ashlar::kernels
