// SPDX-License-Identifier: BSL-1.0
// Derivatives of stencils.
#pragma once
#include "ashlar/autodiff/halo.hpp"
#include "ashlar/ops/stencils/stencil_and_reduce.hpp"
#include "ashlar/ops/stencils/stencil_compose.hpp"
#include "ashlar/ops/stencils/stencil_slope.hpp"

namespace ashlar {

namespace plan_detail {

/// The cotangent of operand I of a stencil, whose halo holds sums (ops/stencils/stencil_slope.hpp).
template <int I, class Y, class F, class Ct, class X, class... V>
constexpr Y stencil_back(no_ranks, F const&, ops_detail::stencil_box const&, Ct const&, X const& x, V const&...) {
  return {x.mesh(), x.extents()};
}

}  // namespace plan_detail

namespace autodiff_detail {

template <class U>
inline constexpr bool is_active_halo = false;
template <class X, axis_mask R, class P>
inline constexpr bool is_active_halo<active_pending<active<X, R>, P>> = true;
template <class U>
inline constexpr bool is_active_fields = false;
template <class... X, class P>
inline constexpr bool is_active_fields<active_pending<std::tuple<X...>, P>> = true;

// The first operand of a stencil: for the tape, and for the kernel.
template <class U>
constexpr auto const& recorded_field(U const& u) {
  if constexpr (is_active_halo<U>)
    return u.result;
  else if constexpr (ops_detail::is_pending_halo<U>)
    return u.cells();
  else
    return u;
}
template <class U>
constexpr decltype(auto) field_of_kernel(U&& u) {
  if constexpr (is_active_halo<std::remove_cvref_t<U>>)
    return std::move(u.pending);
  else if constexpr (active_value<U>)
    return plan_detail::materialize(u.value());
  else
    return std::forward<U>(u);
}

template <class F, int I, class X, class... V>
constexpr bool check_slope() {
  constexpr bool missing = ops_detail::stencil_without_a_derivative<F, I, rank_v<X>, ops_detail::neighbours_in<F, X>,
                                                                    ops_detail::neighbours_in<F, V>...>;
  static_assert(
      !missing,
      "ashlar::stencil: the functor has no derivative; give it static constexpr linearity kind = linearity::linear, or a member slope<I>(offset, u...)");
  return !missing;
}

// The layout of a stencil's result on a tensor of layout L whose owned cells have layout Owned.
template <class L, class Owned>
struct layout_split_as_of {
  using type = Owned;
};
template <class L, class Owned>
  requires(layout_has_a_halo<L>::value)
struct layout_split_as_of<L, Owned> {
  using type = typename with_owned_layout<layout_detail::unfilled<L>, Owned>::type;
};
template <class L, class Owned>
using layout_split_as = typename layout_split_as_of<L, Owned>::type;

// The cotangent of operand I of a stencil. Outside the box its result is operand Kept.
template <int I, int Kept, class C, class F, class Ct, class X, class... V>
constexpr C stencil_cotangent(F const& f, stencil_box const& box, Ct const& ct, X const& x, V const&... v) {
  constexpr backend_of<X> runs{};
  constexpr bool reads_halo = I == 0 || ops_detail::reads_neighbours(ops_detail::reach_of_operand<F, I>::reach);
  if constexpr (reads_halo && has_halo_sums<layout_t<C>>) {
    if (Kept == I || box.distance == 0) return stencil_back<I, C>(runs, f, box, ct, x, v...);
    ops_detail::nothing_outside const inner{box, x.extents(), ops_detail::cell_dimensions<F, rank_v<X>>};
    auto const ct_inside = run_stencil<std::remove_cvref_t<Ct>>(runs, inner, stencil_box{}, ct, ct);
    return stencil_back<I, C>(runs, f, box, ct_inside, x, v...);
  } else {
    auto const run = [&](auto const& slope) {
      using T = ops_detail::stencil_elements<std::remove_cvref_t<decltype(slope)>, X, Ct, V...>;
      using Y = allocated_t<std::remove_cvref_t<decltype(x.mesh())>, T,
                            layout_split_as<layout_t<X>, owned_layout_t<layout_t<C>>>>;
      return run_stencil<Y>(runs, slope, stencil_box{}, x, x, ct, v...);
    };
    if (box.distance > 0) {
      auto const g = run(ops_detail::slope_at_centre<I, F, true>{f, box, x.extents()});
      if constexpr (I == Kept) {
        ops_detail::kept_outside<Ct> const kept{box, x.extents(), ops_detail::cell_dimensions<F, rank_v<X>>};
        return as_cotangent<C>(run_stencil<std::remove_cvref_t<decltype(g)>>(runs, kept, stencil_box{}, g, g, ct));
      } else {
        return as_cotangent<C>(g);
      }
    }
    return as_cotangent<C>(run(ops_detail::slope_at_centre<I, F, false>{f, box, x.extents()}));
  }
}

template <int I, int Kept, class F, class Ct, class Operand, class X, class... V>
constexpr void pull_back_stencil(F const& f, stencil_box const& box, Ct const& ct, Operand const& operand, X const& x,
                                 V const&... v) {
  if constexpr (active_value<Operand>)
    if constexpr (check_slope<F, I, tensor_of<X>, tensor_of<V>...>())
      operand.cotangent().add(stencil_cotangent<I, Kept, typename Operand::cotangent_type>(
          f, box, ct, materialize(stop_gradient(x)), materialize(stop_gradient(v))...));
}

template <int Kept, class F, class X, class... V>
struct pullback_of_stencil {
  F f;
  stencil_box box;
  X x;
  product<V...> others;

  constexpr void operator()(auto const& result) const {
    to_operands(result.cotangent().value(), std::make_integer_sequence<int, static_cast<int>(sizeof...(V))>{});
  }
  template <int... I>
  constexpr void to_operands(auto const& ct, std::integer_sequence<int, I...>) const {
    pull_back_stencil<0, Kept>(f, box, ct, x, x, get<I>(others)...);
    (pull_back_stencil<I + 1, Kept>(f, box, ct, get<I>(others), x, get<I>(others)...), ...);
  }
};

// The active result of f with its pullback. Outside the box it is operand Kept.
template <int Kept, class Y, class F, class X, class... V>
constexpr auto recorded_stencil(F const& f, stencil_box const& box, Y const& y, X const& x, V const&... v) {
  require_all_to_vary<X, V...>();
  return record<replicated_after<named_of<Y>, X, V...>>(
      y, pullback_of_stencil<Kept, F, X, V...>{f, box, x, product<V...>(v...)}, x, v...);
}

// v as an operand on the tape of F beside x. A functor that returns all components has the derivative with respect to a
// coefficient in component 0.
template <class F, bool All, class X, class V>
constexpr auto coefficient_on_tape(X const& x, V const& v) {
  if constexpr (!ops_detail::is_coefficient<F, X, V>) {
    return v;
  } else if constexpr (!active_value<V>) {
    return ops_detail::with_components<F>(x, plan_detail::materialize(v));
  } else {
    auto const cells = plan_detail::materialize(v.value());
    auto const y = ops_detail::with_components<F>(x, cells);
    using Y = std::remove_cvref_t<decltype(y)>;
    require_all_to_vary<V, Y>();
    return linear(v, y, [n = v.extents()](auto const& ct) {
      return join_components<typename V::cotangent_type>(backend_of<Y>{}, ct, n, !All);
    });
  }
}

// The active results of f. Each has a pullback.
template <class Y, class F, class X, class... V>
constexpr auto recorded_results(F const& f, stencil_box const& box, Y const& y, X const& x, V const&... v) {
  return recorded_stencil<0>(f, box, y, x, v...);
}
template <class... Y, class F, class X, class... V>
constexpr auto recorded_results(F const& f, stencil_box const& box, std::tuple<Y...> const& y, X const& x,
                                V const&... v) {
  return [&]<int... K>(std::integer_sequence<int, K...>) {
    return std::tuple(recorded_stencil<K>(ops_detail::component_of_stencil<K, F>{f}, box, std::get<K>(y), x, v...)...);
  }(std::make_integer_sequence<int, static_cast<int>(sizeof...(Y))>{});
}

// The forward pass computes all results of a functor at once.
template <bool Boxed, class F, class U, class... V>
constexpr auto run_active_stencils(F const& f, stencil_box const& box, U&& u, V const&... v) {
  using X = tensor_of<std::remove_cvref_t<decltype(recorded_field(u))>>;
  using R = ops_detail::stencil_value<F, X, tensor_of<V>...>;
  auto const x = recorded_field(u);
  ops_detail::require_own_components<F, X, tensor_of<V>...>();
  auto const y = ops_detail::run_stencil<Boxed>(f, box, field_of_kernel(std::forward<U>(u)),
                                                plan_detail::materialize(stop_gradient(v))...);
  return recorded_results(f, box, y, x,
                          coefficient_on_tape<F, (ops_detail::components_of<R>::count > 0)>(stop_gradient(x), v)...);
}

template <class U, class... V>
concept active_stencil = active_value<U> || is_active_halo<std::remove_cvref_t<U>> ||
                         ((active_value<V> || ...) && ops_detail::stencil_field<U>);

template <int I, class... F, class U>
constexpr auto run_active_steps(ops_detail::composition<F...> const& f, U&& u) {
  auto const y = stencil(std::get<I>(f.steps), std::forward<U>(u));
  if constexpr (I + 1 == sizeof...(F)) {
    return y;
  } else {
    constexpr bool with_corners =
        std::tuple_element_t<static_cast<std::size_t>(I + 1), std::tuple<F...>>::reach.corners;
    constexpr corners which = with_corners ? corners::filled : corners::skipped;
    return run_active_steps<I + 1>(f, exchange_halo_async<which>(y));
  }
}

}  // namespace autodiff_detail

/// A stencil on operands of which some are active. A functor has a derivative if its member `kind` is linearity::linear,
/// in all operands together, or linearity::multilinear, in each. Others have a member slope<I>(offset, u...): the
/// derivative with respect to the element of operand I at that offset. It may take the cell's index after the offset.
/// Shape: as stencil of plain tensors.
/// Cost: the pullback is one pass over the cells for each active operand. The halo cells of the first cotangent are terms
///   of sums: exchange_halo's pullback, add_halo, sends them to their owners.
/// Error: as stencil of plain tensors. Under differentiation a functor with neither `kind` nor slope does not compile.
/// Example: value_and_grad<none>(f), in which f calls stencil(heat{0.1}, exchange_halo(u))
template <class F, class U, tensor... V>
  requires(autodiff_detail::active_stencil<U, V...>)
[[nodiscard]] constexpr auto stencil(F const& f, U&& u, V const&... v) {
  return autodiff_detail::run_active_stencils<false>(f, ops_detail::stencil_box{}, std::forward<U>(u), v...);
}
template <class F, class U, tensor... V>
  requires(autodiff_detail::active_stencil<U, V...>)
[[nodiscard]] constexpr auto stencil(F const& f, ops_detail::stencil_box const& box, U&& u, V const&... v) {
  return autodiff_detail::run_active_stencils<true>(f, box, std::forward<U>(u), v...);
}

/// Under differentiation the reduction follows the stencil.
/// Shape: as stencil_and_reduce of plain tensors.
/// Cost: the stencil, then one pass of the reduction over its result.
/// Error: as stencil.
/// Example: auto const [y, s] = stencil_and_reduce(heat{0.1}, [](auto const& y) { return sum(y); }, exchange_halo(u));
template <class F, class G, class U, tensor... V>
  requires(autodiff_detail::active_stencil<U, V...>)
[[nodiscard]] constexpr auto stencil_and_reduce(F const& f, G const& g, U&& u, V const&... v) {
  auto const y = stencil(f, std::forward<U>(u), v...);
  return std::pair(y, g(y));
}

/// A stencil on the fields of a `pending_halo`, some of which are active. It waits for the exchange first.
template <class F, class U>
  requires autodiff_detail::is_active_fields<std::remove_cvref_t<U>>
[[nodiscard]] constexpr auto stencil(F const& f, U&& u) {
  return std::apply([&](auto const&... x) { return stencil(f, x...); }, u.wait());
}
template <class F, class U>
  requires autodiff_detail::is_active_fields<std::remove_cvref_t<U>>
[[nodiscard]] constexpr auto stencil(F const& f, ops_detail::stencil_box const& box, U&& u) {
  return std::apply([&](auto const&... x) { return stencil(f, box, x...); }, u.wait());
}

/// Under differentiation the functors run one by one. Cost: an exchange for each, and an add_halo for each backward.
template <class... F, class U>
  requires autodiff_detail::active_stencil<U>
[[nodiscard]] constexpr auto stencil(ops_detail::composition<F...> const& f, U&& u) {
  return autodiff_detail::run_active_steps<0>(f, std::forward<U>(u));
}

}  // namespace ashlar
