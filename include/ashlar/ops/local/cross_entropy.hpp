// Softmax cross-entropy from integer labels, its vector-Jacobian product, and the hits of the largest logit.
#pragma once
#include "ashlar/ops/local/reduce.hpp"
#include "ashlar/ops/local/rows.hpp"

namespace ashlar::detail {

/// Logits [rows][n] with the label of each row.
template <class T, class I>
struct labelled_rows {
  T const* logits;
  I const* labels;
  index_t n;

  KOKKOS_FUNCTION T const* operator[](index_t r) const { return logits + r * n; }
  /// -1 for a label that names no class.
  KOKKOS_FUNCTION index_t label(index_t r) const {
    auto const l = static_cast<index_t>(labels[r]);
    return 0 <= l && l < n ? l : -1;
  }
};

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

/// A row of weight 0 is not looked at.
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

/// 1 where fewer than k logits beat the label's: those that are larger, those before it that are equal, and all NaN.
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
    auto const before = [=](index_t j) { return static_cast<int>(!(x[j] < own)); };
    auto const behind = [=](index_t j) { return static_cast<int>(!(x[l + j] <= own)); };
    return lanes.template sum<int>(l, before) + lanes.template sum<int>(rows.n - l, behind) < k;
  }
};

template <class Value>
struct row_values {
  Value row_value;
  typename Value::value_type* out;

  template <class Lanes>
  KOKKOS_FUNCTION void row(Lanes const& lanes, index_t r) const {
    auto const v = row_value.value(lanes, r);
    auto* const to = out + r;
    lanes.once([=] { *to = v; });
  }
};

template <class T, class I>
struct cross_entropy_vjp_kernel {
  labelled_rows<T, I> rows;
  T const* scale;
  T factor;
  T* d_logits;
  T const* weights = nullptr;  // null: 1 each

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

/// *out = sum of row_value over rows of n elements. The order depends on the sizes alone, not on the number of threads.
template <class Space, class Value>
void sum_over_rows(char const* label, Space const& space, index_t rows, index_t n, Value const& row_value,
                   typename Value::value_type* out) {
  using value_type = typename Value::value_type;
  if constexpr (runs_in_caller<Space>) {
    constexpr index_t most = 64;
    index_t const groups = std::clamp<index_t>(rows * n / elements_per_thread, 1, most);
    value_type total[most];
    for_ranges(label, space, groups, 1, [&](index_t begin, index_t end) {
      for (index_t g = begin; g < end; ++g) {
        total[g] = 0;
        for (index_t r = rows * g / groups; r < rows * (g + 1) / groups; ++r)
          total[g] += row_value.value(one_lane{}, r);
      }
    });
    *out = 0;
    for (index_t g = 0; g < groups; ++g) *out += total[g];
  } else {
    Kokkos::View<value_type*, typename Space::memory_space> const values(
        Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "ashlar::rows"), static_cast<std::size_t>(rows));
    for_each_row(label, space, rows, n, 1, row_values<Value>{row_value, values.data()});
    local::reduce<op::sum>(space, static_cast<value_type const*>(values.data()), shape::of(rows), 1u, out);
    space.fence(label);
  }
}

}  // namespace ashlar::detail

namespace ashlar::local {

/// loss[r] = log sum_j exp(logits[r, j]) - logits[r, labels[r]], for logits [rows][n].
/// A label outside [0, n) makes NaN, here and in the cotangent; so does a row with NaN or +infinity.
template <class Space, class T, class I>
void cross_entropy(Space const& space, T const* logits, I const* labels, index_t rows, index_t n, T* loss) {
  detail::row_values<detail::row_loss<T, I>> const kernel{{{logits, labels, n}}, loss};
  detail::for_each_row("ashlar::cross_entropy", space, rows, n, 1, kernel);
}

/// *loss = the sum of these losses; the same bits for every number of threads.
template <class Space, class T, class I>
void cross_entropy_sum(Space const& space, T const* logits, I const* labels, index_t rows, index_t n, T* loss) {
  detail::sum_over_rows("ashlar::cross_entropy_sum", space, rows, n, detail::row_loss<T, I>{{logits, labels, n}}, loss);
}

/// The cotangent of the logits where that of every row's loss is *scale * factor:
/// d_logits[r, j] = *scale factor (softmax(logits)[r, j] - [j == labels[r]]). d_logits may be logits.
template <class Space, class T, class I>
void cross_entropy_vjp(Space const& space, T const* logits, I const* labels, index_t rows, index_t n, T const* scale,
                       T factor, T* d_logits) {
  detail::cross_entropy_vjp_kernel<T, I> const kernel{{logits, labels, n}, scale, factor, d_logits};
  detail::for_each_row("ashlar::cross_entropy_vjp", space, rows, n, 1, kernel);
}

/// *loss = the sum of weights[r] loss[r]; a row of weight 0 adds 0, whatever its label and logits.
template <class Space, class T, class I>
void weighted_cross_entropy_sum(Space const& space, T const* logits, I const* labels, T const* weights, index_t rows, index_t n, T* loss) {
  detail::sum_over_rows("ashlar::weighted_cross_entropy_sum", space, rows, n, detail::weighted_row_loss<T, I>{{{logits, labels, n}}, weights}, loss);
}

/// The cotangent of the logits where that of this sum is *scale.
template <class Space, class T, class I>
void weighted_cross_entropy_vjp(Space const& space, T const* logits, I const* labels, T const* weights, index_t rows, index_t n,
                                T const* scale, T* d_logits) {
  detail::cross_entropy_vjp_kernel<T, I> const kernel{{logits, labels, n}, scale, T(1), d_logits, weights};
  detail::for_each_row("ashlar::weighted_cross_entropy_vjp", space, rows, n, 1, kernel);
}

/// *count = how many rows have the logit at their label among the k largest, of equal ones the first; NaN is taken for
/// larger than all, so that with k = 1 a row with NaN does not count.
template <class Space, class T, class I>
void accuracy_count(Space const& space, T const* logits, I const* labels, index_t rows, index_t n,
                    std::int64_t* count, index_t k = 1) {
  detail::sum_over_rows("ashlar::accuracy_count", space, rows, n, detail::row_hit<T, I>{{logits, labels, n}, k}, count);
}

}  // namespace ashlar::local
