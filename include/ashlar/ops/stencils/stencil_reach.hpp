// SPDX-License-Identifier: BSL-1.0
// The cells that a stencil reads around a cell.
#pragma once
#include "ashlar/layout/shape.hpp"
#include <initializer_list>
#include <utility>

namespace ashlar {

/// The cells that a stencil reads around a cell: a number below and above it in each dimension. `corners` is true if it
/// also reads cells that differ in several dimensions.
struct stencil_reach {
  int rank = 0;
  int lower[max_rank]{}, upper[max_rank]{};
  bool corners = false;
};

namespace ops_detail {
template <std::size_t N>
consteval stencil_reach reach_of(int const (&lower)[N], int const (&upper)[N], bool with_corners) {
  static_assert(N <= max_rank, "ashlar::stencil: a tensor has at most 8 dimensions");
  stencil_reach r;
  r.rank = static_cast<int>(N);
  for (int d = 0; d < static_cast<int>(N) && d < max_rank; ++d) {
    if (lower[d] < 0 || upper[d] < 0) throw "ashlar::stencil: a reach is 0 or more cells in each dimension";
    r.lower[d] = lower[d];
    r.upper[d] = upper[d];
  }
  r.corners = with_corners;
  return r;
}
}  // namespace ops_detail

/// The reach of a star: along one dimension at a time, n cells either way.
/// Example: star(1, 1) is that of the 5-point Laplacian
template <class... I>
consteval stencil_reach star(I... width) {
  int const n[]{width...};
  return ops_detail::reach_of(n, n, false);
}
/// The same with widths below and above. Example: star({1, 0}, {1, 2})
template <std::size_t N>
consteval stencil_reach star(int const (&lower)[N], int const (&upper)[N]) {
  return ops_detail::reach_of(lower, upper, false);
}
/// The reach of a box: n cells either way, in all dimensions at once.
/// Example: box(1, 1) is that of a 9-point stencil
template <class... I>
consteval stencil_reach box(I... width) {
  int const n[]{width...};
  return ops_detail::reach_of(n, n, true);
}
/// The same with widths below and above.
template <std::size_t N>
consteval stencil_reach box(int const (&lower)[N], int const (&upper)[N]) {
  return ops_detail::reach_of(lower, upper, true);
}

/// The reach of an operand that is read at the cell itself.
inline constexpr stencil_reach centre{};

/// The reach of the first operand, and of each operand.
template <int N>
struct stencil_reaches : stencil_reach {
  stencil_reach of[meta_detail::array_bound(N)]{};
};
/// One reach for each operand. Operands without one are read at the cell itself.
/// Example: static constexpr auto reach = reaches(star(1, 1), star(1, 1), centre);
template <class... R>
consteval stencil_reaches<static_cast<int>(sizeof...(R)) + 1> reaches(stencil_reach const& first, R const&... others) {
  stencil_reaches<static_cast<int>(sizeof...(R)) + 1> r{first, {first, others...}};
  for (stencil_reach const& other : r.of)
    if (other.rank > r.rank) r.rank = other.rank;
  return r;
}

namespace ops_detail {

template <class F>
concept has_reaches = requires { F::reach.of[0]; };
/// What functor F reads of operand I, as a class with a reach of its own.
template <class F, int I>
struct reach_of_operand {
  static constexpr stencil_reach reach{};
};
template <class F>
struct reach_of_operand<F, 0> {
  static constexpr stencil_reach reach = F::reach;
};
template <class F, int I>
  requires(I > 0 && has_reaches<F> && I < sizeof(F::reach.of) / sizeof(stencil_reach))
struct reach_of_operand<F, I> {
  static constexpr stencil_reach reach = F::reach.of[I];
};
/// The cells that functor F reads of its first N operands, all together.
template <class F, int N>
consteval stencil_reach widest_reach() {
  stencil_reach all = F::reach;
  [&]<int... I>(std::integer_sequence<int, I...>) {
    for (stencil_reach const& r : {stencil_reach(reach_of_operand<F, I>::reach)...})
      for (int d = 0; d < r.rank; ++d) {
        if (r.lower[d] > all.lower[d]) all.lower[d] = r.lower[d];
        if (r.upper[d] > all.upper[d]) all.upper[d] = r.upper[d];
      }
  }(std::make_integer_sequence<int, N>{});
  return all;
}
constexpr bool reads_neighbours(stencil_reach const& r) {
  for (int d = 0; d < r.rank; ++d)
    if (r.lower[d] > 0 || r.upper[d] > 0) return true;
  return false;
}

}  // namespace ops_detail

}  // namespace ashlar
