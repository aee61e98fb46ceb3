// SPDX-License-Identifier: BSL-1.0
// Rows of logits with a label each, and sums over rows.
#pragma once
#include "ashlar/kernels/elementwise.hpp"
#include "ashlar/kernels/reduce.hpp"
#include "ashlar/kernels/rows.hpp"
#include "ashlar/ops/functions.hpp"

namespace ashlar::kernels_detail {

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

/// *out = sum of row_value over rows of n elements. The order depends on the sizes alone, not on the number of threads.
template <class Space, class Value>
void sum_over_rows(char const* label, Space const& space, index_t rows, index_t n, Value const& row_value,
                   typename Value::value_type* out) {
  using value_type = typename Value::value_type;
  if constexpr (runs_in_caller<Space>) {
    constexpr index_t most = 64;
    index_t const groups = std::clamp<index_t>(rows * n / elements_per_thread, 1, most);
    value_type total[most];
    for_each_index(label, space, groups, elements_per_thread, [&](index_t g) {
      total[g] = 0;
      for (index_t r = rows * g / groups; r < rows * (g + 1) / groups; ++r) total[g] += row_value.value(one_lane{}, r);
    });
    *out = 0;
    for (index_t g = 0; g < groups; ++g) *out += total[g];
  } else {
    Kokkos::View<value_type*, typename Space::memory_space> const values(
        Kokkos::view_alloc(instance_of(space), Kokkos::WithoutInitializing, "ashlar::rows"),
        static_cast<std::size_t>(rows));
    for_each_row(label, space, rows, n, row_values<Value>{row_value, values.data()});
    kernels::reduce<op::sum>(space, values.data(), shape::of(rows), 1u, out);
    space.fence(label);
  }
}

template <class T>
T one_over_rows(shape const& logits) {
  return T(1) / static_cast<T>(rows_of(logits).rows);
}
// Divides a sum over some rows by the number of all rows of logits of these extents. The result is a term of the mean.
template <class Space, class T>
void divide_by_rows(Space const& space, T* sum, shape const& logits) {
  kernels::map(space, shape{}, sum, fn::scale<T>{one_over_rows<T>(logits)}, kernels::strided<T>{sum, {}});
}

}  // namespace ashlar::kernels_detail
