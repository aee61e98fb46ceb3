// Operands of stencils that have no components, beside operands that have some.
#pragma once
#include "ashlar/layout/halo.hpp"
#include "ashlar/ops/apply.hpp"
#include "ashlar/ops/stencil_reach.hpp"

namespace ashlar::ops_detail {

/// True if V is a coefficient for functor F of X: it has the dimensions of the reach, and X has components beside them.
template <class F, class X, class V>
inline constexpr bool is_coefficient = F::reach.rank > 0 && rank_v<V> == F::reach.rank&& F::reach.rank < rank_v<X>;

/// The layout of V with the components of X, whose dimensions have no room. Without a halo V gets a stale one of width 0.
template <class X, class V>
struct layout_with_components {
  using of_x = owned_layout_t<layout_t<X>>;
  using of_v = owned_layout_t<layout_t<V>>;
  using c = plan_detail::mesh_context<mesh_t<X>, of_x, of_v>;
  static constexpr layout_value value = [] {
    layout_value v = value_v<c, of_v>;
    layout_value const x = value_v<c, of_x>;
    for (int d = v.rank; d < x.rank; ++d) v.dim[d] = x.dim[d];
    v.rank = x.rank;
    return v;
  }();
  using owned = layout_from_t<c, encode(value), encode_blocks(value), value.rank>;
  using no_room = layout_detail::room<0, 0, edge::zero, edge::zero>;

  template <int>
  using none_in_dimension = no_room;
  template <class State, class... Room, int... D>
  static auto with_room(std::integer_sequence<int, D...>)
      -> layout_detail::basic_haloed<owned, State, Room..., none_in_dimension<D>...>;
  template <class State, class... Room>
  using with = decltype(with_room<State, Room...>(
      std::make_integer_sequence<int, rank_v<X> - static_cast<int>(sizeof...(Room))>{}));
  template <class L>
  struct of_layout {
    using type = with<layout_detail::halo_state::stale>;
  };
  template <class L, class State, class... Room>
  struct of_layout<layout_detail::basic_haloed<L, State, Room...>> {
    using type = with<State, Room...>;
  };
  using type = typename of_layout<layout_t<V>>::type;
};

/// The extents of v, and then the components of x.
template <class X, class V>
constexpr shape extents_with_components(X const& x, V const& v) {
  shape all = x.extents();
  for (int d = 0; d < rank_v<V>; ++d) all[d] = v.extents()[d];
  return all;
}

/// v as an operand of F beside x. A coefficient gets the components of x, which are all in the same memory.
template <class F, class X, class V>
constexpr decltype(auto) with_components(X const& x, V const& v) {
  if constexpr (is_coefficient<F, X, V>)
    return plan_detail::backend_of<X>::template with_components<typename layout_with_components<X, V>::type>(
        v, extents_with_components(x, v));
  else
    return (v);
}

/// The owned layout of V as an operand of F beside X.
template <class F, class X, class V>
struct owned_beside {
  using type = owned_layout_t<layout_t<V>>;
};
template <class F, class X, class V>
  requires(is_coefficient<F, X, V>)
struct owned_beside<F, X, V> {
  using type = typename layout_with_components<X, V>::owned;
};

/// The element of a coefficient, in a trial by the compiler.
template <class T>
struct coefficient_element {};
template <class F, class X, class V>
using element_in_trial = std::conditional_t<is_coefficient<F, X, V>, coefficient_element<element_t<V>>, element_t<V>>;

}  // namespace ashlar::ops_detail
