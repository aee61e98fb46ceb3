// SPDX-License-Identifier: BSL-1.0
// Counts of rows whose label is among the largest elements; counts of rows by label and by column of the largest
// element.
#pragma once
#include "ashlar/kernels/arrays/labelled_rows.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/ops/nn/metrics.hpp"

namespace ashlar::kernels_detail {

/// 1 if the label of a row has one of the k largest logits, else 0. Larger ones, equal ones before it, and NaN beat it. So
/// with k = 1 a row with NaN does not count.
template <class T, class I>
struct row_hit {
  using value_type = std::int64_t;
  labelled_rows<T, I> rows;
  index_t k;

  template <class Lanes>
  KOKKOS_FUNCTION std::int64_t value(Lanes const& lanes, index_t r) const {
    index_t const l = rows.label(r);
    if (l < 0) return 0;
    T const* const x = rows[r];
    T const own = x[l];
    auto const nan = [=](index_t j) { return finite_math && (is_nan(own) || is_nan(x[j])); };
    auto const before = [=](index_t j) { return static_cast<int>(nan(j) || !(x[j] < own)); };
    auto const behind = [=](index_t j) { return static_cast<int>(nan(l + j) || !(x[l + j] <= own)); };
    return lanes.template sum<int>(l, before) + lanes.template sum<int>(rows.n - l, behind) < k;
  }
};

/// Adds to `counts[l, j]` the number of rows of logits [rows][n] with label l and with the largest element in column j. The
/// first of equal largest elements counts. Rows with NaN or a label outside [0, n) do not count. Sums of ones are exact
/// in any order.
template <class T, class I>
struct confusion_kernel {
  labelled_rows<T, I> rows;
  T* counts;

  template <class Lanes>
  KOKKOS_FUNCTION void row(Lanes const& lanes, index_t r) const {
    index_t const l = rows.label(r), n = rows.n;
    if (l < 0) return;
    T const* const x = rows[r];
    T const top = lanes.template max<T>(n, [=](index_t j) { return x[j]; });
    int const none = lanes.template sum<int>(n, [=](index_t j) { return static_cast<int>(is_nan(x[j])); });
    index_t const place =
        n - lanes.template max<index_t>(n, [=](index_t j) { return x[j] == top ? n - j : index_t(0); });
    if (none != 0) return;
    // `top` starts above -infinity: if all elements are -infinity, none equals it.
    T* const to = counts + l * n + (place < n ? place : 0);
    lanes.once([=] { Kokkos::atomic_add(to, T(1)); });
  }
};

template <class Space, class T, class I>
void count_hits(Space const& space, kernels::scratch_memory memory, kernels::shard<T> const& hits,
                kernels::shard<T const> const& logits, kernels::shard<I const> const& labels, index_t k) {
  rows_of const r(logits.local_extents());
  auto const count = memory.array<std::int64_t>(1);
  row_hit<T, I> const of_row{{logits.data, labels.data, r.n}, k};
  sum_over_rows("ashlar::nn::accuracy_count", space, r.rows, r.n, of_row, count.data());
  kernels::map(space, shape{}, hits.data, same_value{}, kernels::strided<std::int64_t>{count.data(), {}});
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <class S, class T, class I>
void run(ops_detail::hits_op const&, S const& space, scratch_memory memory, shard<T> const& hits,
         shard<T const> const& logits, shard<I const> const& labels) {
  kernels_detail::count_hits(space, memory, hits, logits, labels, 1);
}
template <class S, class T, class I>
void run(ops_detail::top_k_op const& op, S const& space, scratch_memory memory, shard<T> const& hits,
         shard<T const> const& logits, shard<I const> const& labels) {
  kernels_detail::count_hits(space, memory, hits, logits, labels, op.k);
}
template <class S, class T, class I>
void run(ops_detail::confusion_op const&, S const& space, scratch_memory, shard<T> const& counts,
         shard<T const> const& logits, shard<I const> const& labels) {
  kernels_detail::rows_of const r(logits.local_extents());
  fill(space, counts.data, r.n * r.n, T(0));
  kernels_detail::confusion_kernel<T, I> const kernel{{logits.data, labels.data, r.n}, counts.data};
  kernels_detail::for_each_row("ashlar::nn::confusion_counts", space, r.rows, r.n, kernel);
}

}  // namespace ashlar::kernels
