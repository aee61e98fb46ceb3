// SPDX-License-Identifier: BSL-1.0
// Stencils: functions of a cell and its neighbours.
#pragma once
#include "ashlar/ops/halo.hpp"
#include "ashlar/ops/stencils/stencil_coefficient.hpp"
#include "ashlar/ops/stencils/stencil_neighbours.hpp"

namespace ashlar {

namespace ops_detail {
/// The cells that a stencil computes: those at least `distance` away from the domain's edges, in the dimensions of its
/// reach. The others keep the value of the first operand.
struct stencil_box {
  int distance = 0;
};
}  // namespace ops_detail
/// The cells that are at least `distance` away from the edges of the domain.
/// Error: ashlar::error for a distance below 0.
/// Example: stencil(heat{0.1}, inside(1), u) keeps the outermost cells, as Dirichlet values
constexpr ops_detail::stencil_box inside(int distance) {
  if (distance < 0) meta_detail::fail("ashlar::inside: a distance from the edge is 0 or more cells");
  return {distance};
}

namespace ops_detail {

template <class F, int Rank, class... U>
inline constexpr bool takes_index = std::is_invocable_v<F const&, cell_index<Rank> const&, U const&...>;

template <int Rank, class F, class... U>
ASHLAR_FUNCTION constexpr decltype(auto) call_stencil(F const& f, [[maybe_unused]] cell_index<Rank> const& at,
                                                      U const&... u) {
  if constexpr (takes_index<F, Rank, U...>)
    return f(at, u...);
  else
    return f(u...);
}

template <class T, class F, int I, class Rules>
struct trial_of_operand {
  using type = recorded_neighbours<T, reach_of_operand<F, I>::reach.rank, Rules>;
};
template <class T, class F, int I, class Rules>
struct trial_of_operand<coefficient_element<T>, F, I, Rules> {
  using type = recorded_neighbours<T, reach_of_operand<F, I>::reach.rank,
                                   component_rules<Rules::cells, Rules::cells, false, false, false>>;
};
template <class T, class F, int I, class Rules>
constexpr auto recorded(bool& within) {
  return typename trial_of_operand<T, F, I, Rules>::type{reach_of_operand<F, I>::reach, &within};
}
template <class F, class Rules, class T, class... V>
constexpr bool reads_within_reach(F const& f) {
  bool within = true;
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (void)call_stencil<Rules::rank>(f, cell_index<Rules::rank>{}, recorded<T, F, 0, Rules>(within),
                                    recorded<V, F, I + 1, Rules>(within)...);
  }(std::make_integer_sequence<int, static_cast<int>(sizeof...(V))>{});
  return within;
}
// False also if the compiler cannot run the functor.
template <class F, class Rules, class T, class... V>
inline constexpr bool stencil_reads_beyond_its_reach = [] {
  if constexpr (requires { typename std::bool_constant<reads_within_reach<F, Rules, T, V...>(F{})>; }) {
    return !reads_within_reach<F, Rules, T, V...>(F{});
  } else {
    (void)&reads_within_reach<F, Rules, T, V...>;  // instantiates the calls, which check their offsets
    return false;
  }
}();

/// The tensor of an operand, which may be a pending_halo.
template <class X>
struct stencil_operand {
  using tensor = X;
  static constexpr X const& of(X const& x) { return x; }
};
template <class Y>
struct stencil_operand<pending_halo<Y>> {
  using tensor = Y;
  static constexpr Y const& of(pending_halo<Y> const& x) { return x.cells(); }
};
template <class First, class... Y>
struct stencil_operand<pending_halo<std::tuple<First, Y...>>> {
  using tensor = First;
  static constexpr First const& of(pending_halo<std::tuple<First, Y...>> const& x) { return std::get<0>(x.cells()); }
};

/// A first operand of stencil: a tensor, or a pending_halo.
template <class U>
inline constexpr bool is_pending_halo = false;
template <class Y>
inline constexpr bool is_pending_halo<pending_halo<Y>> = true;
template <class... Y>
inline constexpr bool is_pending_halo<pending_halo<std::tuple<Y...>>> = false;
/// A pending exchange of several fields.
template <class U>
inline constexpr bool is_pending_fields = false;
template <class... Y>
inline constexpr bool is_pending_fields<pending_halo<std::tuple<Y...>>> = true;
template <class U>
concept stencil_fields = is_pending_fields<std::remove_cvref_t<U>>;
template <class U>
concept stencil_field = plain_tensor<U> || is_pending_halo<std::remove_cvref_t<U>>;

// A pending exchange as it is; a tensor evaluated. A temporary is taken over: after the stencil nobody shares its memory, so
// u += stencil(f, exchange_halo(u)) copies nothing.
template <class U>
constexpr decltype(auto) first_of_stencil(U&& u) {
  constexpr bool temporary = !std::is_reference_v<U> && !std::is_const_v<U>;
  if constexpr (plain_tensor<U>) {
    if constexpr (temporary && std::is_same_v<std::remove_cvref_t<decltype(plan_detail::materialize(u))>, U>)
      return U(std::move(u));
    else
      return plan_detail::materialize(u);
  } else if constexpr (temporary) {
    return U(std::move(u));
  } else {
    return std::forward<U>(u);
  }
}

template <class F>
concept has_reach = requires { F::reach.corners; };

template <class F>
struct stencil_reach_is_given {
  static constexpr bool ok = has_reach<F>;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::stencil: the functor does not say what it reads; give it a member, static constexpr auto reach = star(1, 1)");
  }
};
// The first dimension in which the reach is wider than the halo, or -1.
template <class F, class L>
inline constexpr int dimension_too_narrow = [] {
  if constexpr (!layout_detail::layout_has_a_halo<L>::value) {
    for (int d = 0; d < F::reach.rank; ++d)
      if (F::reach.lower[d] > 0 || F::reach.upper[d] > 0) return d;
  } else {
    for (int d = 0; d < F::reach.rank && d < L::rank; ++d) {
      layout_detail::halo_width const& w = layout_detail::halo_of<L>::widths.dim[d];
      if (F::reach.lower[d] > w.lower || F::reach.upper[d] > w.upper) return d;
    }
  }
  return -1;
}();
/// In dimension Dim the stencil reads ReachLower cells below and ReachUpper above.
template <class F>
inline constexpr linearity kind_of_stencil = linearity::nonlinear;
template <class F>
  requires requires { F::kind; }
inline constexpr linearity kind_of_stencil<F> = F::kind;

// Requires a halo that holds what is read: by the functor, or by its reach_of_operand.
template <class Reads, class L>
struct stencil_halo {
  static constexpr int narrow = dimension_too_narrow<Reads, L>;
  static constexpr bool rank = Reads::reach.rank <= L::rank, sums = layout_detail::has_halo_sums<L>,
                        unfilled = reads_neighbours(Reads::reach) && is_in_state<L, halo_state::unfilled>,
                        no_corners = Reads::reach.corners && is_in_state<L, halo_state::without_corners>,
                        ok = rank && narrow < 0 && !sums && !unfilled && !no_corners;
  static constexpr void say() {
    static_assert(
        rank,
        "ashlar::stencil: the functor's reach has more dimensions than the tensor; write one width per dimension");
    static_assert(
        !rank || narrow < 0,
        "ashlar::stencil: the functor reads further than the halo is wide; widen the halo of this dimension, which is halo(none, 1) if no axis shards it");
    static_assert(!rank || narrow >= 0 || !unfilled,
                  "ashlar::stencil: the halo is not filled; write exchange_halo(u), or exchange_halo_async(u)");
    static_assert(!rank || narrow >= 0 || !sums, "ashlar::stencil: the halo holds sums; write add_halo(x) first");
    static_assert(
        !rank || narrow >= 0 || !no_corners,
        "ashlar::stencil: the functor reads corners, which were not exchanged; write exchange_halo(u) without corners::skipped");
  }
};
// A sum of the function's values is its value of the sum only for linear functions.
template <class F, class X, class... V>
struct stencil_operands {
  static constexpr bool dimensions = ((rank_v<V> == rank_v<X> || is_coefficient<F, X, V>)&&...),
                        split =
                            (std::is_same_v<owned_layout_t<layout_t<X>>, typename owned_beside<F, X, V>::type> && ...),
                        linear = kind_of_stencil<F> == linearity::linear ||
                                 (!halo_is_partial<layout_t<X>>::value && !is_partial_by_type<layout_t<X>>),
                        ok = dimensions && split && linear;
  static constexpr void say() {
    static_assert(
        dimensions,
        "ashlar::stencil: an operand has other dimensions than the first; give it the same, or if the first has components, the dimensions of the reach alone");
    static_assert(!dimensions || split,
                  "ashlar::stencil: the operands are split differently; redistribute them to the layout of the first");
    static_assert(
        !dimensions || !split || linear,
        "ashlar::stencil: the operand is partial, and the functor is not declared linear; write all_reduce(u), or give the functor static constexpr linearity kind = linearity::linear");
  }
};
// A function of both packs, since nvcc 13 does not expand a pack of the caller in a lambda.
template <class F, class X, class... V, int... I>
constexpr bool check_stencil_of(std::integer_sequence<int, I...>) {
  return hold<stencil_reach_is_given<F>, stencil_operands<F, X, V...>, stencil_halo<F, layout_t<X>>,
              stencil_halo<reach_of_operand<F, I + 1>, layout_t<V>>...>();
}
template <class F, class X, class... V>
constexpr bool check_stencil() {
  return check_stencil_of<F, X, V...>(std::make_integer_sequence<int, static_cast<int>(sizeof...(V))>{});
}

/// What functor F reads of a tensor X.
template <class F, class X>
using neighbours_in = neighbours<element_t<X>, rank_v<X>, cell_dimensions<F, rank_v<X>>>;
/// What functor F returns for operands X and V.
template <class F, class X, class... V>
using stencil_value = std::remove_cvref_t<decltype(call_stencil<rank_v<X>>(
    std::declval<F const&>(), std::declval<cell_index<rank_v<X>> const&>(), std::declval<neighbours_in<F, X> const&>(),
    std::declval<neighbours_in<F, V> const&>()...))>;
/// The elements of what it returns.
template <class F, class X, class... V>
using stencil_elements = typename components_of<stencil_value<F, X, V...>>::element;
template <class R, class X>
struct field_of_values {
  using type = decltype(plan_detail::allocate<R, layout_detail::unfilled<layout_t<X>>>(std::declval<X const&>().mesh(),
                                                                                       shape{}));
};
template <class... R, class X>
struct field_of_values<several<R...>, X> {
  using type = std::tuple<typename field_of_values<R, X>::type...>;
};
/// The tensor that a stencil gives, or the tuple of tensors.
template <class F, class X, class... V>
using stencil_result = typename field_of_values<stencil_elements<F, X, V...>, X>::type;

/// True if an axis shards a dimension of X after the first `Cells`.
template <class X, int Cells>
inline constexpr bool components_are_sharded = [] {
  if constexpr (Cells < rank_v<X>) {
    using L = owned_layout_t<layout_t<X>>;
    for (int d = Cells; d < rank_v<X>; ++d)
      if (value_v<mesh_context<mesh_t<X>, L>, L>.dim[d].size != 0) return true;
  }
  return false;
}();
/// The rules for a functor F of a tensor X that returns R.
template <class F, class X, class R, bool OwnAlone = false>
using component_rules_of =
    component_rules<rank_v<X>, cell_dimensions<F, rank_v<X>>, components_are_sharded<X, cell_dimensions<F, rank_v<X>>>,
                    (components_of<R>::count > 0), (OwnAlone && components_of<R>::count == 0)>;

// Checks what F returns: R, for a first operand X.
template <class F, class X, class R>
struct stencil_components {
  using rules = component_rules_of<F, X, R>;
  static constexpr bool alike = have_components_alike<R>, room = !rules::all || rules::cells < rules::rank,
                        whole = !rules::all || !rules::sharded, ok = alike && room && whole;
  static constexpr void say() {
    static_assert(
        alike,
        "ashlar::stencil: some results of the functor are arrays of components and others are not; return arrays of one size, or no array");
    static_assert(
        !alike || room,
        "ashlar::stencil: the functor returns an array of components, but its reach has all dimensions of the tensor; store the components in one dimension more");
    static_assert(
        !alike || !room || whole,
        "ashlar::stencil: the functor returns an array of components, but an axis shards the components; leave their dimension whole, by none");
  }
};
// check_stencil and stencil_components.
template <class F, class X, class... V>
constexpr bool check_results() {
  if constexpr (check_stencil<F, X, V...>())
    return hold<stencil_components<F, X, stencil_value<F, X, V...>>>();
  else
    return false;
}
// For a derivative or an update: a functor that returns one component reads its own alone.
template <class F, class X, class... V>
constexpr void require_own_components() {
  using rules = component_rules_of<F, X, stencil_value<F, X, V...>, true>;
  if constexpr (rules::cells < rules::rank)
    (void)stencil_reads_beyond_its_reach<F, rules, element_t<X>, element_in_trial<F, X, V>...>;  // for its sentence
}
// Checks that an array R has an element for each component of x.
template <class F, class R, class X>
constexpr void require_components(X const& x) {
  if constexpr (components_of<R>::count > 0) {
    index_t n = 1;
    for (int d = cell_dimensions<F, rank_v<X>>; d < rank_v<X>; ++d) n *= x.extents()[d];
    if (n != components_of<R>::count)
      plan_detail::fail_extents("ashlar::stencil: return an array of one element for each component", x.extents());
  }
}

// Of several results on a box, result i keeps operand i outside the box.
template <class R, bool Boxed, class... T>
inline constexpr bool results_keep_no_operand = false;
template <class... R, class... T>
inline constexpr bool results_keep_no_operand<several<R...>, true, T...> = [] {
  if constexpr (sizeof...(R) > sizeof...(T)) {
    return true;
  } else {
    using of_operands = std::tuple<T...>;
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return !(std::is_same_v<R, std::tuple_element_t<I, of_operands>> && ...);
    }(std::index_sequence_for<R...>{});
  }
}();

// Checks what the layouts do not tell. Pre: check_stencil<F, X, V...>().
template <bool Boxed, class F, class X, class... V>
constexpr void require_stencil(X const& x, V const&... v) {
  using R = stencil_value<F, X, V...>;
  static_assert(
      !stencil_reads_beyond_its_reach<F, component_rules_of<F, X, R>, element_t<X>, element_in_trial<F, X, V>...>,
      "ashlar::stencil: the functor reads cells outside its reach; declare the reach that it reads, such as box(1, 1)");
  shape const& extents = x.extents();
  for (shape const& other : {extents, extents_with_components(x, v)...})
    if (!(other == extents))
      plan_detail::fail_extents(
          "ashlar::stencil: the operands have the same extents; make all fields of a staggered grid with the larger ones",
          extents, other);
  require_components<F, R>(x);
  static_assert(
      !results_keep_no_operand<stencil_elements<F, X, V...>, Boxed, element_t<X>, element_in_trial<F, X, V>...>,
      "ashlar::stencil: outside the box result i keeps operand i, which has another element type or is missing; give one operand for each result");
}

/// f at the owned cells of x. u is x, or the pending_halo that fills its halo.
template <class Y, class F, class X, class U, class... V>
constexpr Y run_stencil(no_ranks, F const&, stencil_box const&, X const& x, U const&, V const&...) {
  return fields_like<Y>(x);
}

template <bool Boxed, class F, class U, class... V>
constexpr auto run_stencil(F const& f, stencil_box const& box, U&& u, V const&... v) {
  using operand = stencil_operand<std::remove_cvref_t<U>>;
  using X = typename operand::tensor;
  if constexpr (check_results<F, X, V...>()) {
    require_stencil<Boxed, F>(operand::of(u), v...);
    return run_stencil<stencil_result<F, X, V...>>(plan_detail::backend_of<X>{}, f, box, operand::of(u),
                                                   std::forward<U>(u), with_components<F>(operand::of(u), v)...);
  } else {
    return operand::of(u);
  }
}

// The operands are the fields of a pending exchange.
template <bool Boxed, class F, class U>
constexpr auto run_stencil_on_fields(F const& f, stencil_box const& box, U&& u) {
  auto const fields = u.cells();
  return std::apply([&](auto const&, auto const&... v) { return run_stencil<Boxed>(f, box, std::forward<U>(u), v...); },
                    fields);
}

}  // namespace ops_detail

/// Calls f for every cell. f is a functor with a member `reach`, the cells that it reads of the first operand. u(i, j)
/// is the element at this offset. It reads the other operands at offset 0, or as reaches(...) says. If it takes one
/// argument more, the first is the cell's global index. It may return several(a, b): then the result is a tuple of fields.
/// Dimensions after those of the reach are components: u(i, j) is of the same component, and u(i, j, c) component c. f
/// may return an array of all, such as Kokkos::Array<double, 3>. Then it is called once per cell, and reads u(i, j, c) alone.
/// A further operand that has the dimensions of the reach alone is a coefficient of all components: k(i, j).
/// The first operand may be a pending exchange: the cells that need no halo are computed while its messages travel.
/// Shape: the operands' extents. The result has the first operand's layout with an unfilled halo, and its element type is
/// what f returns.
/// Collective: no communication, except that a pending exchange is completed.
/// Cost: one pass over the operands; a new tensor.
/// Error: does not compile if the halo is not filled, narrower than the reach, or lacks corners that f reads. If f is
///   constexpr and default-constructible, the compiler runs it and rejects reads outside its reach. ashlar::error if
///   extents differ.
/// Example: u = stencil(heat{0.1}, exchange_halo(u))
template <class F, ops_detail::stencil_field U, plain_tensor... V>
[[nodiscard]] constexpr auto stencil(F const& f, U&& u, V const&... v) {
  return ops_detail::run_stencil<false>(f, ops_detail::stencil_box{}, ops_detail::first_of_stencil(std::forward<U>(u)),
                                        plan_detail::materialize(v)...);
}
/// The same for the cells of a box. The others keep the first operand's value. Of several results, number i keeps operand
/// i.
template <class F, ops_detail::stencil_field U, plain_tensor... V>
[[nodiscard]] constexpr auto stencil(F const& f, ops_detail::stencil_box const& box, U&& u, V const&... v) {
  return ops_detail::run_stencil<true>(f, box, ops_detail::first_of_stencil(std::forward<U>(u)),
                                       plan_detail::materialize(v)...);
}
/// The same for all fields of a pending exchange of a bundle, as operands in its order.
/// Example: auto const [h, p] = stencil(waves{}, exchange_halo_async(bundle(height, momentum)));
template <class F, ops_detail::stencil_fields U>
[[nodiscard]] constexpr auto stencil(F const& f, U&& u) {
  return ops_detail::run_stencil_on_fields<false>(f, ops_detail::stencil_box{}, std::forward<U>(u));
}
template <class F, ops_detail::stencil_fields U>
[[nodiscard]] constexpr auto stencil(F const& f, ops_detail::stencil_box const& box, U&& u) {
  return ops_detail::run_stencil_on_fields<true>(f, box, std::forward<U>(u));
}
/// The same for the tuple of fields that exchange_halo gives for a bundle, or a stencil for several results.
/// Example: auto const [h, p] = stencil(waves{}, exchange_halo(bundle(height, momentum)));
template <class F, class... U>
[[nodiscard]] constexpr auto stencil(F const& f, std::tuple<U...> const& fields) {
  return std::apply([&](auto const&... u) { return stencil(f, u...); }, fields);
}
template <class F, class... U>
[[nodiscard]] constexpr auto stencil(F const& f, ops_detail::stencil_box const& box, std::tuple<U...> const& fields) {
  return std::apply([&](auto const&... u) { return stencil(f, box, u...); }, fields);
}

}  // namespace ashlar
