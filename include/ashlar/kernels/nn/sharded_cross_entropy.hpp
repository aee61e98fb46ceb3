// SPDX-License-Identifier: BSL-1.0
// Sharded softmax cross-entropy: a rank has some of the columns of each row.
#pragma once
#include "ashlar/kernels/arrays/labelled_rows.hpp"
#include "ashlar/kernels/math.hpp"
#include "ashlar/kernels/outside_index.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/ops/nn/sharded_cross_entropy.hpp"

namespace ashlar::kernels_detail {

/// Some columns of logits, and labels that are indices among all columns.
template <class T, class I>
struct labelled_columns {
  T const* logits;
  I const* labels;
  index_set held;
  index_t n = held.size();

  KOKKOS_FUNCTION T const* operator[](index_t r) const { return logits + r * n; }
  /// The label's column here, or -1.
  KOKKOS_FUNCTION index_t label(index_t r) const { return held.find(static_cast<index_t>(labels[r])); }
};

/// The part of each row's loss that comes from these columns.
template <class T, class I>
struct softmax_parts_kernel {
  labelled_columns<T, I> rows;
  softmax_part<T>* parts;
  T nothing = op::max::identity<T>();  // made here: devices cannot call numeric_limits

  template <class Lanes>
  KOKKOS_FUNCTION void row(Lanes const& lanes, index_t r) const {
    T const* const x = rows[r];
    T const top = lanes.template max<T>(rows.n, [=](index_t j) { return x[j]; });
    // Logits of -infinity count as 0, even if a rank has no others.
    T const none = nothing;
    T const sum =
        lanes.template sum<T>(rows.n, [=](index_t j) { return x[j] == none ? T(0) : Kokkos::exp(x[j] - top); });
    index_t const l = rows.label(r);
    softmax_part<T> const part(top, sum, l < 0 ? T(0) : x[l]);
    auto* const to = parts + r;
    lanes.once([=] { *to = part; });
  }
};

/// The loss of a row, from the parts of all columns.
template <class T, class I>
struct loss_of_parts {
  using value_type = T;
  softmax_part<T> const* parts;
  I const* labels;
  index_t classes;

  template <class Lanes>
  KOKKOS_FUNCTION T value(Lanes const&, index_t r) const {
    auto const l = static_cast<index_t>(labels[r]);
    if (l < 0 || l >= classes) return Kokkos::Experimental::quiet_NaN_v<T>;
    return Kokkos::log(parts[r].sum) - (parts[r].target - parts[r].largest);
  }
};

/// The cotangent of these columns, if the cotangent of every row's loss is *scale * factor.
template <class T, class I>
struct sharded_cross_entropy_vjp_kernel {
  labelled_columns<T, I> rows;
  softmax_part<T> const* parts;
  index_t classes;
  T const* scale;
  T factor;
  T* d_logits;

  template <class Lanes>
  KOKKOS_FUNCTION void row(Lanes const& lanes, index_t r) const {
    T const* const x = rows[r];
    T* const d = d_logits + r * rows.n;
    auto const given = static_cast<index_t>(rows.labels[r]);
    T const by = given < 0 || given >= classes ? Kokkos::Experimental::quiet_NaN_v<T> : *scale * factor;
    T const top = parts[r].largest, part = by / parts[r].sum;
    index_t const l = rows.label(r);
    lanes.each(rows.n, [=](index_t j) { d[j] = Kokkos::exp(x[j] - top) * part - (j == l ? by : T(0)); });
  }
};

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <class S, class T, class I>
void run(ops_detail::softmax_parts_op const&, S const& space, scratch_memory,
         shard<ops_detail::softmax_part<T>> const& parts, shard<T const> const& logits, shard<I const> const& labels) {
  kernels_detail::rows_of const r(logits.local_extents());
  kernels_detail::softmax_parts_kernel<T, I> const kernel{
      {logits.data, labels.data, logits.owned.dim[logits.owned.rank - 1]}, parts.data};
  kernels_detail::for_each_row("ashlar::softmax_parts", space, r.rows, r.n, kernel);
}
template <class S, class T, class I>
outside_index run(ops_detail::sharded_cross_entropy_op const&, S const& space, scratch_memory, shard<T> const& loss,
                  shard<T const> const& logits, shard<I const> const& labels,
                  shard<ops_detail::softmax_part<T> const> const& parts) {
  index_t const classes = kernels_detail::rows_of(logits.global).n, rows = labels.local_size();
  kernels_detail::loss_of_parts<T, I> const of_row{parts.data, labels.data, classes};
  kernels_detail::sum_over_rows("ashlar::nn::sharded_cross_entropy", space, rows, 1, of_row, loss.data);
  kernels_detail::divide_by_rows(space, loss.data, logits.global);
  return kernels_detail::look_at_labels(space, labels.data, rows, classes,
                                        kernels_detail::is_not_padding<I>{labels.data});
}
template <class S, class T, class I>
void run(ops_detail::sharded_cross_entropy_pullback_op const&, S const& space, scratch_memory, shard<T> const& g,
         shard<T const> const& ct, shard<T const> const& logits, shard<I const> const& labels,
         shard<ops_detail::softmax_part<T> const> const& parts) {
  kernels_detail::rows_of const r(logits.local_extents());
  kernels_detail::sharded_cross_entropy_vjp_kernel<T, I> const kernel{
      {logits.data, labels.data, logits.owned.dim[logits.owned.rank - 1]},
      parts.data,
      kernels_detail::rows_of(logits.global).n,
      ct.data,
      kernels_detail::one_over_rows<T>(logits.global),
      g.data};
  kernels_detail::for_each_row("ashlar::sharded_cross_entropy_vjp", space, r.rows, r.n, kernel);
}

}  // namespace ashlar::kernels
