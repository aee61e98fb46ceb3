// Counts of rows by label and by place of the largest element.
#pragma once
#include "ashlar/ops/local/cross_entropy.hpp"
#include "ashlar/tensor/boxes.hpp"

namespace ashlar::detail {

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
    int const none = lanes.template sum<int>(n, [=](index_t j) { return static_cast<int>(x[j] != x[j]); });
    index_t const place = n - lanes.template max<index_t>(n, [=](index_t j) { return x[j] == top ? n - j : index_t(0); });
    if (none != 0) return;
    T* const to = counts + l * n + (place < n ? place : 0);  // max begins above -infinity: where all are, none equals it
    lanes.once([=] { Kokkos::atomic_add(to, T(1)); });
  }
};

}  // namespace ashlar::detail

namespace ashlar::local {

/// counts[l, j] = how many of the rows of logits [rows][n] have label l and their largest element, the first of equal ones,
/// in place j. Rows with NaN or a label outside [0, n) count nowhere. Sums of ones are exact in any order.
template <class Space, class T, class I>
void confusion_counts(Space const& space, T const* logits, I const* labels, index_t rows, index_t n, T* counts) {
  fill(space, counts, n * n, T(0));
  detail::for_each_row("ashlar::confusion_counts", space, rows, n, 1, detail::confusion_kernel<T, I>{{logits, labels, n}, counts});
}

}  // namespace ashlar::local
