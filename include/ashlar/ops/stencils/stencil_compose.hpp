// SPDX-License-Identifier: BSL-1.0
// Stencils one after the other, with one exchange.
#pragma once
#include "ashlar/ops/stencils/stencil.hpp"

namespace ashlar {

namespace ops_detail {

/// The sum of the reaches of all functors from number `from` on.
template <class... F>
consteval stencil_reach sum_of_reaches(int from) {
  stencil_reach const all[]{F::reach...};
  int const last = static_cast<int>(sizeof...(F)) - 1;
  if (from == last) return all[last];
  stencil_reach sum;
  for (int i = from; i <= last; ++i) {
    if (all[i].rank > sum.rank) sum.rank = all[i].rank;
    for (int d = 0; d < all[i].rank; ++d) {
      sum.lower[d] += all[i].lower[d];
      sum.upper[d] += all[i].upper[d];
    }
  }
  sum.corners = true;
  return sum;
}

/// Functors that are applied one after the other, the first first.
template <class... F>
struct composition {
  static constexpr stencil_reach reach = sum_of_reaches<F...>(0);
  std::tuple<F...> steps;
};
template <class F>
struct steps_of {
  static constexpr std::tuple<F> of(F const& f) { return {f}; }
};
template <class... F>
struct steps_of<composition<F...>> {
  static constexpr std::tuple<F...> const& of(composition<F...> const& f) { return f.steps; }
};
template <class... F>
inline constexpr linearity kind_of_stencil<composition<F...>> =
    ((kind_of_stencil<F> == linearity::linear) && ...) ? linearity::linear : linearity::nonlinear;
template <class... F>
constexpr composition<F...> composition_of(std::tuple<F...> const& steps) {
  return {steps};
}

/// The element type after the functors from the first on, for elements T.
template <int Rank, class T, class... F>
struct composed_value {
  using type = T;
};
template <int Rank, class T, class First, class... F>
struct composed_value<Rank, T, First, F...> {
  using value = std::remove_cvref_t<decltype(call_stencil<Rank>(
      std::declval<First const&>(), std::declval<cell_index<Rank> const&>(),
      std::declval<neighbours<T, Rank, cell_dimensions<First, Rank>> const&>()))>;
  using element = typename components_of<value>::element;
  using type = typename composed_value<Rank, element, F...>::type;
};
template <class F, int Rank, class T>
struct composed_functor_reads_one_field {
  static constexpr bool ok = std::is_invocable_v<F const&, neighbours<T, Rank, cell_dimensions<F, Rank>> const&> ||
                             takes_index<F, Rank, neighbours<T, Rank, cell_dimensions<F, Rank>>>;
  static constexpr void say() {
    static_assert(
        ok, "ashlar::compose: a functor reads several fields; compose functors of one field, or call stencil for each");
  }
};
template <class R>
struct composed_functor_gives_one_result {
  static constexpr bool ok = number_of_results<R> == 0;
  static constexpr void say() {
    static_assert(ok, "ashlar::compose: a functor gives several results; compose functors of one result");
  }
};
template <class F, class X, class T, class R>
struct composed_functor_stays_in_its_reach {
  static constexpr bool ok = !stencil_reads_beyond_its_reach<F, component_rules_of<F, X, R>, T>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::stencil: the functor reads cells outside its reach; declare the reach that it reads, such as box(1, 1)");
  }
};

/// A mirrored cell is as far from the edge as its image. So a functor after the first has equal reaches below and above.
template <class L, class First, class... Later>
struct composed_reaches_are_mirrored {
  static constexpr bool mirrors(boundary e) {
    return e == boundary::mirror || e == boundary::reflect || e == boundary::odd;
  }
  static constexpr bool ok = [] {
    if constexpr (layout_detail::layout_has_a_halo<L>::value)
      for (stencil_reach const& r : {stencil_reach{}, stencil_reach(Later::reach)...})
        for (int d = 0; d < r.rank; ++d) {
          halo_width const& w = layout_detail::halo_of<L>::widths.dim[d];
          if ((mirrors(w.below) || mirrors(w.above)) && r.lower[d] != r.upper[d]) return false;
        }
    return true;
  }();
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::compose: beyond a boundary that mirrors, a functor after the first reads as far below as above; declare equal widths, such as star(1, 1)");
  }
};

// Checks the functors one by one, for elements T and a first operand X.
template <class X, class T>
constexpr bool check_composed() {
  return true;
}
template <class X, class T, class First, class... F>
constexpr bool check_composed() {
  if constexpr (hold<composed_functor_reads_one_field<First, rank_v<X>, T>>()) {
    using R = typename composed_value<rank_v<X>, T, First>::value;
    if constexpr (hold<composed_functor_gives_one_result<R>, stencil_components<First, X, R>,
                       composed_functor_stays_in_its_reach<First, X, T, R>>())
      return check_composed<X, typename components_of<R>::element, F...>();
  }
  return false;
}
// Checks the arrays of components that the functors return.
template <class T, class X>
constexpr void require_composed(X const&) {}
template <class T, class First, class... F, class X>
constexpr void require_composed(X const& x) {
  using R = typename composed_value<rank_v<X>, T, First>::value;
  require_components<First, R>(x);
  require_composed<typename components_of<R>::element, F...>(x);
}

/// run_stencil for functors one after the other.
template <class Y, class F, class X, class U>
constexpr Y run_stencils(no_ranks, F const&, X const& x, U const&) {
  return fields_like<Y>(x);
}

template <class... F, class U>
constexpr auto run_composition(composition<F...> const& f, U&& u) {
  using operand = stencil_operand<std::remove_cvref_t<U>>;
  using X = typename operand::tensor;
  if constexpr (hold<composed_reaches_are_mirrored<layout_t<X>, F...>>() && check_stencil<composition<F...>, X>()) {
    if constexpr (check_composed<X, element_t<X>, F...>()) {
      require_composed<element_t<X>, F...>(operand::of(u));
      using R = typename composed_value<rank_v<X>, element_t<X>, F...>::type;
      return run_stencils<typename field_of_values<R, X>::type>(plan_detail::backend_of<X>{}, f, operand::of(u),
                                                                std::forward<U>(u));
    } else {
      return operand::of(u);
    }
  } else {
    return operand::of(u);
  }
}

template <class U, class... Unfit>
constexpr auto refuse_composition(U&& u) {
  static_assert(
      sizeof...(Unfit) == 0,
      "ashlar::compose: composed functors read one field and compute all cells; call stencil for each, to use a box or more fields");
  return stencil_operand<std::remove_cvref_t<U>>::of(u);
}

}  // namespace ops_detail

/// The functor f(g(u)) for stencil: g, then f, with one exchange of a wider halo. g is also computed on the halo's cells
/// inside the domain. Beyond the edges its result follows the edges again.
/// Post: stencil(compose(f, g), exchange_halo(u)) == stencil(f, exchange_halo(stencil(g, exchange_halo(u)))), exactly.
/// Shape: the reach is a box, of the sum of both reaches.
/// Cost: an array of g's results. If the exchange is pending, g computes the interior meanwhile.
/// Error: does not compile for functors of several operands or results.
/// Example: u = stencil(compose(smooth{}, advance{}), exchange_halo(u));
template <class F, class G>
constexpr auto compose(F const& f, G const& g) {
  return ops_detail::composition_of(std::tuple_cat(ops_detail::steps_of<G>::of(g), ops_detail::steps_of<F>::of(f)));
}
/// f, K times, with one exchange: compose(f, compose(f, ...)).
/// Error: K below 1 does not compile.
/// Example: u = stencil(repeated<4>(heat{0.1}), exchange_halo(u));  // a halo of width 4
template <int K, class F>
constexpr auto repeated(F const& f) {
  static_assert(K >= 1, "ashlar::repeated: a functor is repeated 1 or more times; write repeated<2>(f)");
  if constexpr (K <= 1)
    return ops_detail::composition_of(ops_detail::steps_of<F>::of(f));
  else
    return compose(f, repeated<K - 1>(f));
}

template <class... F, ops_detail::stencil_field U>
[[nodiscard]] constexpr auto stencil(ops_detail::composition<F...> const& f, U&& u) {
  return ops_detail::run_composition(f, ops_detail::first_of_stencil(std::forward<U>(u)));
}

// Composed functors with a box or with further operands.
template <class... F, ops_detail::stencil_field U, plain_tensor... V>
[[nodiscard]] constexpr auto stencil(ops_detail::composition<F...> const&, ops_detail::stencil_box const&, U&& u,
                                     V const&...) {
  return ops_detail::refuse_composition<U, ops_detail::stencil_box, V...>(std::forward<U>(u));
}
template <class... F, ops_detail::stencil_field U, plain_tensor V, plain_tensor... More>
[[nodiscard]] constexpr auto stencil(ops_detail::composition<F...> const&, U&& u, V const&, More const&...) {
  return ops_detail::refuse_composition<U, V, More...>(std::forward<U>(u));
}

}  // namespace ashlar
