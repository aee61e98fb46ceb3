// SPDX-License-Identifier: BSL-1.0
// Operations that read the owned cells of tensors with halos.
#pragma once
#include "ashlar/layout/halo.hpp"
#include "ashlar/ops/apply.hpp"

namespace ashlar::ops_detail {

/// g with an unfilled halo if Like has a halo, and without one if Like has none: the cotangent of a tensor like Like.
template <class Like, class G>
constexpr auto with_halo_as(G const& g) {
  using result = std::remove_cvref_t<decltype(materialize(g))>;
  constexpr bool has = layout_detail::layout_has_a_halo<layout_t<G>>::value,
                 needs = layout_detail::layout_has_a_halo<layout_t<Like>>::value;
  if constexpr (has && !needs)
    return copy_cells<owned_layout_t<layout_t<G>>>(backend_of<G>{}, materialize(g));
  else if constexpr (needs && !has)
    return copy_cells<
        typename layout_detail::with_owned_layout<layout_detail::unfilled<layout_t<Like>>, layout_t<G>>::type>(
        backend_of<G>{}, materialize(g));
  else
    return result(materialize(g));
}

/// The result of an operation that reads owned cells: with the unfilled halo of its operands, or without a halo. An
/// operation says which by a member `halo`. All others take no tensor with a halo.
enum class halo_use { kept_unfilled, dropped };

template <class Op>
concept reads_owned_cells = requires { Op::halo; };

/// A layout without its partial axes.
template <class L>
struct without_partial_axes {
  using type = L;
};
template <class L, class Op, class... A>
struct without_partial_axes<layout_detail::basic_partial<L, Op, A...>> : without_partial_axes<L> {};
/// The halo of a layout as an unfilled layout that is not partial.
template <class L>
using unfilled_without_partial_axes =
    typename layout_detail::with_owned_layout<layout_detail::unfilled<L>,
                                              typename without_partial_axes<owned_layout_t<L>>::type>::type;

/// The halo of the first operand that has one, as an unfilled layout that is not partial, and whether another operand has a
/// different halo.
template <class... L>
struct common_halo {
  using type = void;
  static constexpr bool differs = false;
};
template <class L, class... Rest>
struct common_halo<L, Rest...> : common_halo<Rest...> {};
template <class L, class... Rest>
  requires(layout_detail::layout_has_a_halo<L>::value)
struct common_halo<L, Rest...> {
  using type = unfilled_without_partial_axes<L>;
  using next = typename common_halo<Rest...>::type;
  static constexpr bool differs =
      common_halo<Rest...>::differs || !(std::is_void_v<next> || std::is_same_v<next, type>);
};

/// True if each operation by which a layout is partial is a sum.
template <class Owned>
inline constexpr bool is_partial_by_sums = true;
template <class L, class Op, class... A>
inline constexpr bool is_partial_by_sums<layout_detail::basic_partial<L, Op, A...>> =
    std::is_same_v<Op, op::sum> && is_partial_by_sums<L>;
/// Whether owned cells of layout Owned can have the unfilled halo Halo. Partial ones cannot have given cells.
template <class Owned, class Halo>
struct with_halo_of;
template <class Owned, class L, class State, class... Room>
struct with_halo_of<Owned, layout_detail::basic_haloed<L, State, Room...>> {
  using H = layout_detail::basic_haloed<L, State, Room...>;
  static constexpr bool fits =
      std::is_same_v<Owned, L> || (std::is_same_v<typename without_partial_axes<Owned>::type, L> &&
                                   is_partial_by_sums<Owned> && !layout_detail::has_given_edge<H>);
};

/// True if a function may take these operands, of which some hold sums: it is linear in these alone.
template <linearity Kind, class... L>
inline constexpr bool takes_halo_sums = false;
template <class First, class... L>
inline constexpr bool takes_halo_sums<linearity::linear, First, L...> =
    layout_detail::has_halo_sums<First> && (std::is_same_v<First, L> && ...);
template <class A, class B>
inline constexpr bool takes_halo_sums<linearity::multilinear, A, B> =
    (layout_detail::has_halo_sums<A> && B::rank == 0) || (layout_detail::has_halo_sums<B> && A::rank == 0);
template <class A, class B>
inline constexpr bool takes_halo_sums<linearity::linear_in_first, A, B> =
    layout_detail::has_halo_sums<A> && B::rank == 0;
template <class Op, class... L>
inline constexpr bool is_linear_in_sums = false;
template <class Op, class... L>
  requires requires { typename Op::function; }
inline constexpr bool is_linear_in_sums<Op, L...> = takes_halo_sums<Op::function::kind, L...>;

/// The result on tensors of which some have a halo: that on their owned cells.
template <reads_owned_cells Op, class... X>
  requires(layout_detail::layout_has_a_halo<layout_t<X>>::value || ...)
struct result_of<Op, X...> {
  using mesh = mesh_t<first_t<X...>>;
  using c = mesh_context<mesh, owned_layout_t<layout_t<X>>...>;
  using common = common_halo<layout_t<X>...>;
  static constexpr rule_result on_owned = Op::rule(value_v<c, owned_layout_t<layout_t<X>>>...);
  using owned = layout_from_t<c, encode(on_owned.out), encode_blocks(on_owned.out), on_owned.out.rank>;
  static constexpr bool sums = (layout_detail::has_halo_sums<layout_t<X>> || ...);
  static constexpr rule_result r = [] {
    if (sums && !is_linear_in_sums<Op, layout_t<X>...>) return rule_result::wrong(fault::halo_holds_sums, -1);
    if (common::differs && on_owned.why != fault::partial_and_whole) return rule_result::wrong(fault::two_halos, -1);
    bool const fits = Op::halo == halo_use::dropped || with_halo_of<owned, typename common::type>::fits;
    return on_owned.why == fault::fits && !fits ? rule_result::wrong(fault::unlike_halo, -1) : on_owned;
  }();
  using axis = typename axis_for_message<typename mesh::names, r.axis>::type;
  using kept = typename layout_detail::with_owned_layout<typename common::type, owned>::type;
  using layout =
      std::conditional_t<Op::halo == halo_use::dropped, owned, std::conditional_t<sums, halo_sums<kept>, kept>>;
  using element = typename Op::template element<element_t<X>...>;
};

}  // namespace ashlar::ops_detail
