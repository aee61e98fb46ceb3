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

/// The part of each row's loss that comes from the columns `held`.
template <class Space, class T, class I>
void softmax_parts(Space const& space, T const* logits, I const* labels, index_t rows, index_set const& held,
                   ops_detail::softmax_part<T>* parts) {
  kernels_detail::for_each_row("ashlar::softmax_parts", space, rows, held.size(), 1,
                               kernels_detail::softmax_parts_kernel<T, I>{{logits, labels, held}, parts});
}

/// *loss = the sum of the rows' losses, from the parts of all columns; the same bits for every number of threads.
template <class Space, class T, class I>
void loss_of_parts(Space const& space, ops_detail::softmax_part<T> const* parts, I const* labels, index_t rows,
                   index_t classes, T* loss) {
  kernels_detail::sum_over_rows("ashlar::nn::sharded_cross_entropy", space, rows, 1,
                                kernels_detail::loss_of_parts<T, I>{parts, labels, classes}, loss);
}

/// The cotangent of the columns `held`, if the cotangent of every row's loss is *scale * factor.
template <class Space, class T, class I>
void sharded_cross_entropy_vjp(Space const& space, T const* logits, I const* labels,
                               ops_detail::softmax_part<T> const* parts, index_t rows, index_set const& held,
                               index_t classes, T const* scale, T factor, T* d_logits) {
  kernels_detail::for_each_row("ashlar::sharded_cross_entropy_vjp", space, held.size() == 0 ? 0 : rows, held.size(), 1,
                               kernels_detail::sharded_cross_entropy_vjp_kernel<T, I>{
                                   {logits, labels, held}, parts, classes, scale, factor, d_logits});
}

template <class S, class T, class I>
void run(ops_detail::softmax_parts_op const&, S const& space, scratch_memory,
         shard<ops_detail::softmax_part<T>> const& parts, shard<T const> const& logits, shard<I const> const& labels) {
  softmax_parts(space, logits.data, labels.data, kernels_detail::rows_of(logits.local_extents()).rows,
                logits.owned.dim[logits.owned.rank - 1], parts.data);
}
template <class S, class T, class I>
outside_index run(ops_detail::sharded_cross_entropy_op const&, S const& space, scratch_memory, shard<T> const& loss,
                  shard<T const> const& logits, shard<I const> const& labels,
                  shard<ops_detail::softmax_part<T> const> const& parts) {
  index_t const classes = kernels_detail::rows_of(logits.global).n;
  loss_of_parts(space, parts.data, labels.data, labels.local_size(), classes, loss.data);
  kernels_detail::divide_by_rows(space, loss.data, logits.global);
  return kernels_detail::look_at_labels(space, labels.data, labels.local_size(), classes,
                                        kernels_detail::is_not_padding<I>{labels.data});
}
template <class S, class T, class I>
void run(ops_detail::sharded_cross_entropy_pullback_op const&, S const& space, scratch_memory, shard<T> const& g,
         shard<T const> const& ct, shard<T const> const& logits, shard<I const> const& labels,
         shard<ops_detail::softmax_part<T> const> const& parts) {
  sharded_cross_entropy_vjp(space, logits.data, labels.data, parts.data,
                            kernels_detail::rows_of(logits.local_extents()).rows,
                            logits.owned.dim[logits.owned.rank - 1], kernels_detail::rows_of(logits.global).n, ct.data,
                            kernels_detail::one_over_rows<T>(logits.global), g.data);
}

}  // namespace ashlar::kernels
