// SPDX-License-Identifier: BSL-1.0
// Operands of stencils that have no components, beside operands that have some.
#pragma once
#include "ashlar/layout/halo.hpp"
#include "ashlar/ops/apply.hpp"
#include "ashlar/ops/stencils/stencil_reach.hpp"

namespace ashlar::ops_detail {

/// True if V is a coefficient for functor F of X: it has the dimensions of the reach, and X has components beside them.
template <class F, class X, class V>
inline constexpr bool is_coefficient = F::reach.rank > 0 && rank_v<V> == F::reach.rank&& F::reach.rank < rank_v<X>;

// A halo layout with further dimensions, which have no room.
template <int Dimension>
struct no_room_in {
  using type = layout_detail::room<0, 0, boundary::zero, boundary::zero>;
};
template <class Owned, class State, class Dimensions, class... Room>
struct with_dimensions_without_room;
template <class Owned, class State, int... D, class... Room>
struct with_dimensions_without_room<Owned, State, std::integer_sequence<int, D...>, Room...> {
  using type = layout_detail::basic_haloed<Owned, State, Room..., typename no_room_in<D>::type...>;
};
// The layout Owned with the state and the room of L, in as many dimensions as L has.
template <class L, class Owned, int Rank>
struct with_room_of {
  using type = typename with_dimensions_without_room<Owned, layout_detail::halo_state::unfilled,
                                                     std::make_integer_sequence<int, Rank>>::type;
};
template <class L, class State, class... Room, class Owned, int Rank>
struct with_room_of<layout_detail::basic_haloed<L, State, Room...>, Owned, Rank> {
  using type = typename with_dimensions_without_room<
      Owned, State, std::make_integer_sequence<int, Rank - static_cast<int>(sizeof...(Room))>, Room...>::type;
};

/// The layout of V with the components of X, whose dimensions have no room. Without a halo V gets an unfilled one of width 0.
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
  using type = typename with_room_of<layout_t<V>, owned, rank_v<X>>::type;
};

/// The extents of v, and then the components of x.
template <class X, class V>
constexpr shape extents_with_components(X const& x, V const& v) {
  shape all = x.extents();
  for (int d = 0; d < rank_v<V>; ++d) all[d] = v.extents()[d];
  return all;
}

/// x with more dimensions, along which all elements are in the same memory.
template <class To, class X>
constexpr auto repeat_components(no_ranks, X const& x, shape const& extents) {
  return allocate<element_t<X>, To>(x.mesh(), extents);
}
/// Its transpose: the sum of all components of x, or component 0.
template <class To, class X>
constexpr To join_components(no_ranks, X const& x, shape const& extents, bool) {
  return allocate<element_t<To>, layout_t<To>>(x.mesh(), extents);
}

/// v as an operand of F beside x. A coefficient gets the components of x, which are all in the same memory.
template <class F, class X, class V>
constexpr decltype(auto) with_components(X const& x, V const& v) {
  if constexpr (is_coefficient<F, X, V>)
    return repeat_components<typename layout_with_components<X, V>::type>(plan_detail::backend_of<X>{}, v,
                                                                          extents_with_components(x, v));
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
