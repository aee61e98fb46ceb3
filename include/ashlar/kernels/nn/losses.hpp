// SPDX-License-Identifier: BSL-1.0
// Softmax cross-entropy from integer labels and from distributions of labels, with their vector-Jacobian products.
#pragma once
#include "ashlar/kernels/arrays/labelled_rows.hpp"
#include "ashlar/kernels/outside_index.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/ops/nn/losses.hpp"

namespace ashlar::kernels_detail {

/// The loss of row r: log sum_j exp(logits[r, j]) - logits[r, labels[r]], for logits [rows][n].
/// A label outside [0, n) gives NaN, here and in the cotangent. So does a row with NaN or +infinity.
template <class T, class I>
struct row_loss {
  using value_type = T;
  labelled_rows<T, I> rows;

  template <class Lanes>
  KOKKOS_FUNCTION T value(Lanes const& lanes, index_t r) const {
    T const* const x = rows[r];
    T const top = lanes.template max<T>(rows.n, [=](index_t j) { return x[j]; });
    T const sum = lanes.template sum<T>(rows.n, [=](index_t j) { return Kokkos::exp(x[j] - top); });
    index_t const l = rows.label(r);
    return l < 0 ? Kokkos::Experimental::quiet_NaN_v<T> : Kokkos::log(sum) - (x[l] - top);
  }
};

/// The loss times its weight. Does not read a row of weight 0.
template <class T, class I>
struct weighted_row_loss {
  using value_type = T;
  row_loss<T, I> loss;
  T const* weights;

  template <class Lanes>
  KOKKOS_FUNCTION T value(Lanes const& lanes, index_t r) const {
    return weights[r] == T(0) ? T(0) : weights[r] * loss.value(lanes, r);
  }
};

/// The cotangent of the logits, if the cotangent of the loss of row r is *scale factor weights[r].
/// d_logits[r, j] = *scale factor weights[r] (softmax(logits)[r, j] - [j == labels[r]]). d_logits may be logits.
template <class T, class I>
struct cross_entropy_vjp_kernel {
  labelled_rows<T, I> rows;
  T const* scale;
  T factor;
  T* d_logits;
  T const* weights = nullptr;  // null: all 1

  template <class Lanes>
  KOKKOS_FUNCTION void row(Lanes const& lanes, index_t r) const {
    index_t const l = rows.label(r);
    T const* const x = rows[r];
    T* const d = d_logits + r * rows.n;
    T const weight = weights ? weights[r] : T(1);
    if (weight == T(0)) {
      lanes.each(rows.n, [=](index_t j) { d[j] = T(0); });
      return;
    }
    T const by = l < 0 ? Kokkos::Experimental::quiet_NaN_v<T> : *scale * factor * weight;
    T const top = lanes.template max<T>(rows.n, [=](index_t j) { return x[j]; });
    lanes.each(rows.n, [=](index_t j) { d[j] = Kokkos::exp(x[j] - top); });
    T const part = by / lanes.template sum<T>(rows.n, [=](index_t j) { return d[j]; });
    lanes.each(rows.n, [=](index_t j) { d[j] = d[j] * part - (j == l ? by : T(0)); });
  }
};

/// The loss of row r of logits and targets [rows][n]: the sum over classes j of
/// targets[r, j] (log sum_k exp(logits[r, k]) - logits[r, j]). A row with NaN or +infinity gives NaN. A class at -infinity
/// with target 0 adds nothing.
template <class T>
struct row_distribution_loss {
  using value_type = T;
  T const* logits;
  T const* targets;
  index_t n;

  template <class Lanes>
  KOKKOS_FUNCTION T value(Lanes const& lanes, index_t r) const {
    T const* const x = logits + r * n;
    T const* const t = targets + r * n;
    T const top = lanes.template max<T>(n, [=](index_t j) { return x[j]; });
    T const log_sum = Kokkos::log(lanes.template sum<T>(n, [=](index_t j) { return Kokkos::exp(x[j] - top); }));
    return lanes.template sum<T>(n, [=](index_t j) { return t[j] * (log_sum - (t[j] == T(0) ? T(0) : x[j] - top)); });
  }
};

/// The cotangent of the logits, if the cotangent of every row's loss is *scale * factor.
/// d_logits[r, j] = *scale factor (softmax(logits)[r, j] sum_k targets[r, k] - targets[r, j]).
/// d_logits is neither logits nor targets.
template <class T>
struct distribution_vjp_kernel {
  T const* logits;
  T const* targets;
  index_t n;
  T const* scale;
  T factor;
  T* d_logits;

  template <class Lanes>
  KOKKOS_FUNCTION void row(Lanes const& lanes, index_t r) const {
    T const* const x = logits + r * n;
    T const* const t = targets + r * n;
    T* const d = d_logits + r * n;
    T const by = *scale * factor;
    T const top = lanes.template max<T>(n, [=](index_t j) { return x[j]; });
    lanes.each(n, [=](index_t j) { d[j] = Kokkos::exp(x[j] - top); });
    T const weight = lanes.template sum<T>(n, [=](index_t j) { return t[j]; });
    T const part = by * weight / lanes.template sum<T>(n, [=](index_t j) { return d[j]; });
    lanes.each(n, [=](index_t j) { d[j] = d[j] * part - by * t[j]; });
  }
};

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <class S, class T, class I>
outside_index run(ops_detail::cross_entropy_op const&, S const& space, scratch_memory, shard<T> const& loss,
                  shard<T const> const& logits, shard<I const> const& labels) {
  kernels_detail::rows_of const r(logits.local_extents());
  kernels_detail::row_loss<T, I> const of_row{{logits.data, labels.data, r.n}};
  kernels_detail::sum_over_rows("ashlar::cross_entropy_sum", space, r.rows, r.n, of_row, loss.data);
  kernels_detail::divide_by_rows(space, loss.data, logits.global);
  return kernels_detail::look_at_labels(space, labels.data, r.rows, r.n,
                                        kernels_detail::is_not_padding<I>{labels.data});
}
template <class S, class T, class I>
void run(ops_detail::cross_entropy_pullback_op const&, S const& space, scratch_memory, shard<T> const& g,
         shard<T const> const& ct, shard<T const> const& logits, shard<I const> const& labels) {
  kernels_detail::rows_of const r(logits.local_extents());
  kernels_detail::cross_entropy_vjp_kernel<T, I> const kernel{
      {logits.data, labels.data, r.n}, ct.data, kernels_detail::one_over_rows<T>(logits.global), g.data};
  kernels_detail::for_each_row("ashlar::cross_entropy_vjp", space, r.rows, r.n, kernel);
}
template <class S, class T, class I>
outside_index run(ops_detail::weighted_cross_entropy_op const&, S const& space, scratch_memory, shard<T> const& loss,
                  shard<T const> const& logits, shard<I const> const& labels, shard<T const> const& weights) {
  kernels_detail::rows_of const r(logits.local_extents());
  kernels_detail::weighted_row_loss<T, I> const of_row{{{logits.data, labels.data, r.n}}, weights.data};
  kernels_detail::sum_over_rows("ashlar::weighted_cross_entropy_sum", space, r.rows, r.n, of_row, loss.data);
  return kernels_detail::look_at_labels(space, labels.data, r.rows, r.n,
                                        [w = weights.data](index_t row) { return w[row] != T(0); });
}
template <class S, class T, class I>
void run(ops_detail::weighted_cross_entropy_pullback_op const&, S const& space, scratch_memory, shard<T> const& g,
         shard<T const> const& ct, shard<T const> const& logits, shard<I const> const& labels,
         shard<T const> const& weights) {
  kernels_detail::rows_of const r(logits.local_extents());
  kernels_detail::cross_entropy_vjp_kernel<T, I> const kernel{
      {logits.data, labels.data, r.n}, ct.data, T(1), g.data, weights.data};
  kernels_detail::for_each_row("ashlar::weighted_cross_entropy_vjp", space, r.rows, r.n, kernel);
}
template <class S, class T>
void run(ops_detail::distribution_cross_entropy_op const&, S const& space, scratch_memory, shard<T> const& loss,
         shard<T const> const& logits, shard<T const> const& targets) {
  kernels_detail::rows_of const r(logits.local_extents());
  kernels_detail::row_distribution_loss<T> const of_row{logits.data, targets.data, r.n};
  kernels_detail::sum_over_rows("ashlar::distribution_cross_entropy_sum", space, r.rows, r.n, of_row, loss.data);
  kernels_detail::divide_by_rows(space, loss.data, logits.global);
}
template <class S, class T>
void run(ops_detail::distribution_cross_entropy_pullback_op const&, S const& space, scratch_memory, shard<T> const& g,
         shard<T const> const& ct, shard<T const> const& logits, shard<T const> const& targets) {
  kernels_detail::rows_of const r(logits.local_extents());
  kernels_detail::distribution_vjp_kernel<T> const kernel{
      logits.data, targets.data, r.n, ct.data, kernels_detail::one_over_rows<T>(logits.global), g.data};
  kernels_detail::for_each_row("ashlar::distribution_cross_entropy_vjp", space, r.rows, r.n, kernel);
}

}  // namespace ashlar::kernels
