// SPDX-License-Identifier: BSL-1.0
// The cells that a stencil reads around a cell.
#pragma once
#include "ashlar/layout/shape.hpp"
#include <initializer_list>
#include <utility>

namespace ashlar {

namespace ops_detail {

/// The cells that a stencil reads around a cell: a number below and above it in each dimension. `corners` is true if it
/// also reads cells that differ in several dimensions.
struct stencil_reach {
  int rank = 0;
  int lower[max_rank]{}, upper[max_rank]{};
  bool corners = false;
};

/// The cells that are read in one dimension: n either way, or lower ones and upper ones.
struct reach_along {
  int lower = 0, upper = 0;
  bool given = false;
  constexpr reach_along() = default;
  constexpr reach_along(int n) : reach_along(n, n) {}
  constexpr reach_along(int below, int above) : lower(below), upper(above), given(true) {}
};
consteval stencil_reach reach_of(bool corners, std::initializer_list<reach_along> dimensions) {
  stencil_reach r;
  r.corners = corners;
  for (reach_along const& n : dimensions) {
    if (!n.given) break;
    if (n.lower < 0 || n.upper < 0) throw "ashlar::stencil: a reach is 0 or more cells in each dimension";
    if (r.rank == max_rank) throw "ashlar::stencil: a tensor has at most 8 dimensions";
    r.lower[r.rank] = n.lower;
    r.upper[r.rank++] = n.upper;
  }
  return r;
}
}  // namespace ops_detail

/// The reach of a star: along one dimension at a time. A number is the cells that are read either way, {1, 2} are 1 below
/// and 2 above.
/// Example: star(1, 1) is that of the 5-point Laplacian; star(1, {0, 2})
consteval auto star(ops_detail::reach_along a, ops_detail::reach_along b = {}, ops_detail::reach_along c = {},
                    ops_detail::reach_along d = {}, ops_detail::reach_along e = {}, ops_detail::reach_along f = {},
                    ops_detail::reach_along g = {}, ops_detail::reach_along h = {},
                    ops_detail::reach_along ninth = {}) {
  return ops_detail::reach_of(false, {a, b, c, d, e, f, g, h, ninth});
}
/// The reach of a box: in all dimensions at once; else as star.
/// Example: box(1, 1) is that of a 9-point stencil
consteval auto box(ops_detail::reach_along a, ops_detail::reach_along b = {}, ops_detail::reach_along c = {},
                   ops_detail::reach_along d = {}, ops_detail::reach_along e = {}, ops_detail::reach_along f = {},
                   ops_detail::reach_along g = {}, ops_detail::reach_along h = {}, ops_detail::reach_along ninth = {}) {
  return ops_detail::reach_of(true, {a, b, c, d, e, f, g, h, ninth});
}

/// The reach of an operand that is read at the cell itself.
inline constexpr ops_detail::stencil_reach centre{};

namespace ops_detail {
/// The reach of the first operand, and of each operand.
template <int N>
struct stencil_reaches : stencil_reach {
  stencil_reach of[meta_detail::array_bound(N)]{};
};
}  // namespace ops_detail

/// One reach for each operand. Operands without one are read at the cell itself.
/// Example: static constexpr auto reach = reaches(star(1, 1), star(1, 1), centre);
template <class... R>
consteval auto reaches(ops_detail::stencil_reach const& first, R const&... others) {
  ops_detail::stencil_reaches<static_cast<int>(sizeof...(R)) + 1> r{first, {first, others...}};
  for (ops_detail::stencil_reach const& other : r.of)
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
