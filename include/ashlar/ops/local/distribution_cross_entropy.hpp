// Softmax cross-entropy from distributions of labels, and its vector-Jacobian product.
#pragma once
#include "ashlar/ops/local/cross_entropy.hpp"

namespace ashlar::detail {

/// Logits and targets [rows][n].
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

}  // namespace ashlar::detail

namespace ashlar::local {

/// *loss = the sum over rows r and classes j of targets[r, j] (log sum_k exp(logits[r, k]) - logits[r, j]); the same bits
/// for every number of threads. A row with NaN or +infinity makes NaN; a class at -infinity whose target is 0 adds nothing.
template <class Space, class T>
void distribution_cross_entropy_sum(Space const& space, T const* logits, T const* targets, index_t rows, index_t n, T* loss) {
  detail::sum_over_rows("ashlar::distribution_cross_entropy_sum", space, rows, n, detail::row_distribution_loss<T>{logits, targets, n}, loss);
}

/// The cotangent of the logits where that of every row's loss is *scale * factor:
/// d_logits[r, j] = *scale factor (softmax(logits)[r, j] sum_k targets[r, k] - targets[r, j]).
/// d_logits is neither logits nor targets.
template <class Space, class T>
void distribution_cross_entropy_vjp(Space const& space, T const* logits, T const* targets, index_t rows, index_t n, T const* scale,
                                    T factor, T* d_logits) {
  detail::distribution_vjp_kernel<T> const kernel{logits, targets, n, scale, factor, d_logits};
  detail::for_each_row("ashlar::distribution_cross_entropy_vjp", space, rows, n, 1, kernel);
}

}  // namespace ashlar::local
