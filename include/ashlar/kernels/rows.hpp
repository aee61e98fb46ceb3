// SPDX-License-Identifier: BSL-1.0
// Arrays as rows or as lines, and kernels over rows: a thread per row, or on devices a team for long rows.
#pragma once
#include "ashlar/layout/shape.hpp"
#include "ashlar/kernels/for_elements.hpp"
#include <climits>

namespace ashlar::kernels_detail {

/// An array as rows of its last `dims` dimensions.
struct rows_of {
  index_t rows = 1, n = 1;
  explicit rows_of(shape const& s, int dims = 1) {
    for (int d = 0; d < s.rank; ++d) (d < s.rank - dims ? rows : n) *= s[d];
  }
};

/// The lines of a row-major array [outer][n][inner].
struct lines_of {
  index_t outer = 1, n, inner;
  constexpr lines_of(shape const& s, int dim) : n(s[dim]), inner(s.stride(dim)) {
    for (int d = 0; d < dim; ++d) outer *= s[d];
  }
  constexpr index_t count() const { return outer * inner; }
  /// The place of the first element of a line. The others follow at distances of `inner`.
  constexpr index_t begin(index_t line) const { return line / inner * n * inner + line % inner; }
  /// As many lines of another extent.
  constexpr lines_of with_extent(index_t extent) const {
    lines_of other = *this;
    other.n = extent;
    return other;
  }
};

/// Runs kernel(i) for i in [0, count); each i touches about `work` elements.
template <class Space, class Kernel>
void for_each_index(char const* label, Space const& space, index_t count, index_t work, Kernel const& kernel) {
  if constexpr (runs_in_caller<Space>)
    for_ranges(label, space, count, elements_per_thread / std::max<index_t>(work, 1), [&](index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i) kernel(i);
    });
  else
    for_elements(label, space, count, kernel);
}

/// One thread walks the row. Over long rows it keeps several partial results: with a single one, each step would wait
/// for the step before.
struct one_lane {
  static constexpr int parts = 16;

  template <class F>
  KOKKOS_FUNCTION void each(index_t n, F const& f) const {
    for (index_t j = 0; j < n; ++j) f(j);
  }
  /// The largest f(j). NaN may count or not.
  template <class T, class F>
  KOKKOS_FUNCTION T(max)(index_t n, F const& f) const {
    return fold(n, (Kokkos::reduction_identity<T>::max)(), f, [](T a, T b) { return a < b ? b : a; });
  }
  template <class T, class F>
  KOKKOS_FUNCTION T sum(index_t n, F const& f) const {
    return fold(n, T(0), f, [](T a, T b) { return a + b; });
  }
  template <class F>
  KOKKOS_FUNCTION void once(F const& f) const {
    f();
  }

 private:
  template <class T, class F, class Combine>
  KOKKOS_FUNCTION T fold(index_t n, T total, F const& f, Combine const& combine) const {
    index_t j = 0;
    if (n >= parts) {
      T part[parts];
      for (T& p : part) p = total;
      for (; j + parts <= n; j += parts)
        for (int u = 0; u < parts; ++u) part[u] = combine(part[u], f(j + u));
      for (int half = parts / 2; half > 0; half /= 2)
        for (int u = 0; u < half; ++u) part[u] = combine(part[u], part[u + half]);
      total = part[0];
    }
    for (; j < n; ++j) total = combine(total, f(j));
    return total;
  }
};

/// A team walks the row; every member gets the results.
template <class Member>
struct team_lanes {
  Member const& team;

  template <class F>
  KOKKOS_FUNCTION void each(index_t n, F const& f) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, index_t(0), n), f);
    team.team_barrier();
  }
  template <class T, class F>
  KOKKOS_FUNCTION T(max)(index_t n, F const& f) const {
    T result;
    auto const join = [&](index_t j, T& m) { m = m < f(j) ? f(j) : m; };
    Kokkos::parallel_reduce(Kokkos::TeamThreadRange(team, index_t(0), n), join, Kokkos::Max<T>(result));
    return result;
  }
  template <class T, class F>
  KOKKOS_FUNCTION T sum(index_t n, F const& f) const {
    T result;
    auto const join = [&](index_t j, T& s) { s += f(j); };
    Kokkos::parallel_reduce(Kokkos::TeamThreadRange(team, index_t(0), n), join, Kokkos::Sum<T>(result));
    return result;
  }
  template <class F>
  KOKKOS_FUNCTION void once(F const& f) const {
    Kokkos::single(Kokkos::PerTeam(team), f);
  }
};

template <class M>
concept TeamMember = requires(M const& m) { m.league_rank(); };

/// Adapts a kernel with row(lanes, r) to Kokkos.
template <class Kernel>
struct row_kernel {
  Kernel kernel;
  KOKKOS_FUNCTION void operator()(index_t r) const { kernel.row(one_lane{}, r); }
  KOKKOS_FUNCTION void operator()(TeamMember auto const& t) const {
    kernel.row(team_lanes<std::remove_cvref_t<decltype(t)>>{t}, t.league_rank());
  }
};

/// Runs kernel.row(lanes, r) for r in [0, rows). A row has n elements. On devices, teams take long rows if their number
/// fits int.
template <class Space, class Kernel>
void for_each_row(char const* label, Space const& space, index_t rows, index_t n, Kernel const& kernel) {
  row_kernel<Kernel> const k{kernel};
  if constexpr (!runs_in_caller<Space>)
    if (n > 32 && rows <= INT_MAX) return Kokkos::parallel_for(label, teams(space, rows), k);
  for_each_index(label, space, rows, 4 * n, k);  // such kernels read elements again, or take exponentials
}

}  // namespace ashlar::kernels_detail
