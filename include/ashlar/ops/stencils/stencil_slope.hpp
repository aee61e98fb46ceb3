// SPDX-License-Identifier: BSL-1.0
// Derivatives of stencils: the derivative of a cell with respect to each element that it reads.
#pragma once
#include "ashlar/layout/rule.hpp"
#include "ashlar/ops/stencils/stencil.hpp"

namespace ashlar::ops_detail {

/// Elements that are 0, except one at an offset if `has_one`. For a functor that returns all components, the last numbers
/// of the offset are the component.
template <class T, int Rank>
struct unit_neighbours {
  cell_index<Rank> one;
  bool has_one;
  template <class... I>
  ASHLAR_FUNCTION constexpr T operator()(I... offset) const {
    bool here = has_one;
    int d = 0;
    ((here = here && one.of[d++] == static_cast<index_t>(offset)), ...);
    for (; d < Rank; ++d) here = here && one.of[d] == 0;
    return here ? T(1) : T(0);
  }
};

template <class U>
struct neighbours_of;
template <class T, int N, int Cells>
struct neighbours_of<neighbours<T, N, Cells>> {
  using element = std::remove_const_t<T>;
  static constexpr int rank = N;
};

template <class F, int I, int Rank, class... U>
concept has_slope_with_index =
    requires(F const& f, cell_index<Rank> const& at, U const&... u) { f.template slope<I>(at, at, u...); };
template <class F, int I, int Rank, class... U>
concept has_slope = has_slope_with_index<F, I, Rank, U...> ||
                    requires(F const& f, cell_index<Rank> const& at, U const&... u) { f.template slope<I>(at, u...); };
template <class F>
inline constexpr bool slope_by_evaluation =
    kind_of_stencil<F> == linearity::linear || kind_of_stencil<F> == linearity::multilinear;
template <class F, int I, int Rank, class... U>
inline constexpr bool stencil_without_a_derivative = !has_slope<F, I, Rank, U...> && !slope_by_evaluation<F>;

// Operand J of an evaluation that finds the coefficient of operand I: one element is 1 in operand I. The elements of
// the others are 0, or if f is linear in each operand, their own.
template <bool ByEach, bool Chosen, class U, int Rank>
ASHLAR_FUNCTION constexpr auto evaluated_operand(U const& u, cell_index<Rank> const& offset, bool has_one) {
  if constexpr (!Chosen && ByEach)
    return u;
  else
    return unit_neighbours<typename neighbours_of<U>::element, neighbours_of<U>::rank>{offset, Chosen && has_one};
}
template <class R>
ASHLAR_FUNCTION constexpr auto difference_of_results(R const& a, R const& b) {
  if constexpr (component_array<R>) {
    component_values<typename components_of<R>::element, components_of<R>::count> d{};
    for (int c = 0; c < components_of<R>::count; ++c) d.of[c] = result_component(a, c) - result_component(b, c);
    return d;
  } else {
    return a - b;
  }
}
template <int I, int Rank, class F, std::size_t... J, class... U>
ASHLAR_FUNCTION constexpr auto evaluated_slope(F const& f, cell_index<Rank> const& offset, cell_index<Rank> const& at,
                                               std::index_sequence<J...>, U const&... u) {
  constexpr bool by_each = kind_of_stencil<F> == linearity::multilinear;
  return difference_of_results(call_stencil<Rank>(f, at, evaluated_operand<by_each, J == I>(u, offset, true)...),
                               call_stencil<Rank>(f, at, evaluated_operand<by_each, J == I>(u, offset, false)...));
}

/// The derivative of f at a cell with respect to the element of operand I at an offset, whose last numbers are a component if
/// f returns all components. `u` are the operands' elements around the cell.
template <int I, int Rank, class F, class... U>
ASHLAR_FUNCTION constexpr auto slope_at(F const& f, cell_index<Rank> const& offset,
                                        [[maybe_unused]] cell_index<Rank> const& at, U const&... u) {
  if constexpr (has_slope_with_index<F, I, Rank, U...>)
    return f.template slope<I>(offset, at, u...);
  else if constexpr (has_slope<F, I, Rank, U...>)
    return f.template slope<I>(offset, u...);
  else
    return evaluated_slope<I, Rank>(f, offset, at, std::index_sequence_for<U...>{}, u...);
}

/// True if the derivatives are the same at all cells.
template <class F, int I, int Rank, class... U>
inline constexpr bool has_constant_slope =
    !has_slope<F, I, Rank, U...> && kind_of_stencil<F> == linearity::linear && !takes_index<F, Rank, U...>;

/// The offsets that a functor may read of its first operand.
template <class F, int Rank>
struct reach_offsets {
  static constexpr int most = [] {
    int all = 1, along = 1;
    for (int d = 0; d < F::reach.rank; ++d) {
      all *= F::reach.lower[d] + F::reach.upper[d] + 1;
      along += F::reach.lower[d] + F::reach.upper[d];
    }
    return F::reach.corners ? all : along;
  }();
  cell_index<Rank> offset[array_bound(most)]{};

  constexpr reach_offsets() {
    cell_index<Rank> at{};
    int n = 0;
    visit(at, 0, 0, n);
  }

 private:
  constexpr void visit(cell_index<Rank>& at, int d, int outside, int& n) {
    if (d == F::reach.rank) {
      offset[n++] = at;
      return;
    }
    for (int i = -F::reach.lower[d]; i <= F::reach.upper[d]; ++i) {
      if (i != 0 && outside > 0 && !F::reach.corners) continue;
      at.of[d] = i;
      visit(at, d + 1, outside + (i != 0), n);
    }
    at.of[d] = 0;
  }
};

/// The cotangent of an operand that f reads at offset 0: ct times the derivative, and 0 outside the box. It is a stencil
/// of f's operands and ct, the second one.
template <int I, class F, bool Boxed>
struct slope_at_centre {
  static constexpr auto reach = F::reach;
  F f;
  stencil_box box;
  shape extents;
  template <class U, class Ct, class... V>
  ASHLAR_FUNCTION constexpr auto operator()(cell_index<neighbours_of<U>::rank> const& at, U const& u, Ct const& ct,
                                            V const&... v) const {
    using T = typename neighbours_of<operand_type<I, U, V...>>::element;
    constexpr int rank = neighbours_of<U>::rank;
    using R = std::remove_cvref_t<decltype(call_stencil<rank>(f, at, u, v...))>;
    bool computed = true;
    if constexpr (Boxed)
      for (int d = 0; d < cell_dimensions<F, rank>; ++d)
        computed = computed && at[d] >= box.distance && at[d] < extents[d] - box.distance;
    if constexpr (component_array<R>) {
      constexpr int count = components_of<R>::count;
      component_values<T, count> all{};
      if (computed)
        for (int read = 0; read < count; ++read) {
          auto const slope = slope_at<I, rank>(f, offset_of_component<rank>(u.components, read), at, u, v...);
          for (int c = 0; c < count; ++c)
            all.of[read] = static_cast<T>(all.of[read] + slope[static_cast<std::size_t>(c)] * ct.component(c));
        }
      return all;
    } else {
      return computed ? static_cast<T>(slope_at<I, rank>(f, cell_index<rank>{}, at, u, v...) * ct(0)) : T(0);
    }
  }
};

/// g inside the box, and ct outside, where the stencil copies its first operand.
template <class Ct>
struct kept_outside {
  static constexpr auto reach = star(0);
  stencil_box box;
  shape extents;
  int dims;  // of the stencil's reach
  template <class G, class C>
  ASHLAR_FUNCTION constexpr auto operator()(cell_index<neighbours_of<G>::rank> const& at, G const& g,
                                            C const& ct) const {
    using T = typename neighbours_of<G>::element;
    for (int d = 0; d < dims; ++d)
      if (at[d] < box.distance || at[d] >= extents[d] - box.distance) return static_cast<T>(ct(0));
    return g(0);
  }
};

/// ct inside the box, and 0 outside, where the stencil copies another operand.
struct nothing_outside {
  static constexpr auto reach = star(0);
  stencil_box box;
  shape extents;
  int dims;  // of the stencil's reach
  template <class C>
  ASHLAR_FUNCTION constexpr auto operator()(cell_index<neighbours_of<C>::rank> const& at, C const& ct) const {
    using T = typename neighbours_of<C>::element;
    for (int d = 0; d < dims; ++d)
      if (at[d] < box.distance || at[d] >= extents[d] - box.distance) return T(0);
    return ct(0);
  }
};

/// Result K of a functor that gives several.
template <int K, class F>
struct component_of_stencil {
  static constexpr auto reach = F::reach;
  static constexpr linearity kind = kind_of_stencil<F>;
  F f;
  template <class... U>
    requires std::is_invocable_v<F const&, U const&...>
  ASHLAR_FUNCTION constexpr auto operator()(U const&... u) const {
    return get<K>(f(u...));
  }
  template <int I, class... U>
    requires requires(F const& g, U const&... u) { g.template slope<I>(u...); }
  ASHLAR_FUNCTION constexpr auto slope(U const&... u) const {
    return get<K>(f.template slope<I>(u...));
  }
};

/// True for functors of ashlar that call one of the program with other operands.
template <class F>
inline constexpr bool is_part_of_a_derivative = false;
template <int I, class F, bool Boxed>
inline constexpr bool is_part_of_a_derivative<slope_at_centre<I, F, Boxed>> = true;
template <class Ct>
inline constexpr bool is_part_of_a_derivative<kept_outside<Ct>> = true;
template <>
inline constexpr bool is_part_of_a_derivative<nothing_outside> = true;

}  // namespace ashlar::ops_detail
