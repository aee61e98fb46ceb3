// SPDX-License-Identifier: BSL-1.0
// Derivatives of exchanges and of sums of halos.
#pragma once
#include "ashlar/autodiff/linear.hpp"
#include "ashlar/ops/stencils/halo_bundle.hpp"
#include "ashlar/ops/stencils/halo_reduce.hpp"

namespace ashlar {

namespace autodiff_detail {

/// A tensor with an unfilled halo or without one as the cotangent C: its halo cells are 0 if they are terms of sums.
template <class C, class G>
constexpr C as_cotangent(G const& g) {
  using L = layout_t<C>;
  if constexpr (std::is_same_v<layout_t<G>, L>)
    return C(materialize(g));
  else if constexpr (std::is_same_v<layout_t<G>, owned_layout_t<L>> || has_halo_sums<L>)
    return copy_cells<L>(backend_of<G>{}, materialize(g));
  else
    return as_cotangent<C>(owned(g));
}

// The result y of an exchange of x, which is active if x is. Its pullback is add_halo.
template <corners C, class X, class Y>
constexpr auto exchanged(X const& x, Y const& y, call_site const& w) {
  if constexpr (active_value<X>)
    return linear(x, y, [w](auto ct) { return add_halo<C>(std::move(ct), w); });
  else
    return y;
}
// The same for several fields.
template <corners C, class... X, class... Y>
constexpr auto exchanged(std::tuple<X...> const& x, std::tuple<Y...> const& y, call_site const& w) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple(exchanged<C>(std::get<I>(x), std::get<I>(y), w)...);
  }(std::index_sequence_for<X...>{});
}
template <class... X>
constexpr auto plain_bundle(bundled<X...> const& b) {
  return std::apply([](auto const&... x) { return bundle(stop_gradient(x)...); }, b.members);
}

/// An exchange that has begun, of an active tensor or of several fields, some of which are active. It is the operand of a
/// stencil.
template <class Result, class Pending>
struct active_pending {
  Result result;
  Pending pending;
  /// As pending_halo.
  [[nodiscard]] constexpr Result wait() {
    (void)pending.wait();
    return result;
  }
};
template <corners C, class X, class Pending>
constexpr auto begun(X const& x, Pending pending, call_site const& w) {
  auto result = exchanged<C>(x, pending.cells(), w);
  return active_pending<decltype(result), Pending>{std::move(result), std::move(pending)};
}

}  // namespace autodiff_detail

template <active_value X>
[[nodiscard]] constexpr auto owned(X const& x) {
  using C = typename X::cotangent_type;
  return autodiff_detail::linear(x, owned(x.value()),
                                 [](auto const& ct) { return autodiff_detail::as_cotangent<C>(ct); });
}
namespace ops_detail {

// The pullback reads the owned cells of the cotangent. Halo cells of a sum become 0.
template <class To, active_value X>
constexpr auto with_unfilled_halo(destination<To, 0u> to, X const& x) {
  using C = typename X::cotangent_type;
  return linear(x, with_unfilled_halo(to, x.value()),
                [](auto const& ct) { return autodiff_detail::as_cotangent<C>(ct); });
}
// Under differentiation the result is invariant over the axes of the sum, so the pullback communicates nothing.
template <class To, axis_mask Replicated, axis_mask MayHelp, active_value X>
constexpr auto reduce_stored_cells(destination<To, Replicated, MayHelp> to, X const& x, call_site const& w) {
  return linear(x, reduce_stored_cells(to, x.value(), w), [](auto const& ct) { return ct; });
}
// The cotangent of terms is whole on each rank. Of an operand that is replicated over the axes it becomes terms again.
template <class To, axis_mask Axes, active_value X>
constexpr auto stored_cells_as_terms(destination<To, Axes> to, X const& x) {
  return linear(x, stored_cells_as_terms(to, x.value()), [](auto const& ct) {
    if constexpr ((X::replicated & Axes) != 0)
      return stored_cells_as_terms(destination<dual_t<X>, X::replicated & Axes>{}, ct);
    else
      return ct;
  });
}
// The same cells, replicated. The pullback reduces the cotangent.
template <class To, axis_mask Axes, active_value X>
constexpr auto replicate_stored_cells(destination<To, Axes>, X const& x, call_site const& w) {
  return linear<Axes>(x, x.value(), [w](auto const& ct) {
    return reduce_stored_cells(destination<owned_layout_t<dual_t<X>>, 0u>{}, ct, w);
  });
}

}  // namespace ops_detail

/// Exchanges the halo of an active tensor. Its pullback adds the halo cells of the cotangent to their owners'.
template <corners C = corners::filled, active_value X>
[[nodiscard]] constexpr auto exchange_halo(X const& x, call_site w = call_site::current()) {
  if constexpr (autodiff_detail::is_filled<X>)
    return exchange_halo<C>(autodiff_detail::without_filled_halo(x), w);
  else
    return autodiff_detail::exchanged<C>(x, exchange_halo<C>(x.value(), w), w);
}
/// Exchanges the halos of several fields, some of which are active. The pullback is one add_halo per active field.
template <corners C = corners::filled, tensor... X>
  requires(active_value<X> || ...)
[[nodiscard]] constexpr auto exchange_halo(ops_detail::bundled<X...> const& b, call_site w = call_site::current()) {
  return autodiff_detail::exchanged<C>(b.members, exchange_halo<C>(autodiff_detail::plain_bundle(b), w), w);
}

/// Begins an exchange of an active tensor. The pullback is add_halo.
template <corners C = corners::filled, active_value X>
[[nodiscard]] constexpr auto exchange_halo_async(X const& x, call_site w = call_site::current()) {
  if constexpr (autodiff_detail::is_filled<X>)
    return exchange_halo_async<C>(autodiff_detail::without_filled_halo(x), w);
  else
    return autodiff_detail::begun<C>(x, exchange_halo_async<C>(x.value(), w), w);
}
/// Begins an exchange of several fields, some of which are active. The pullback is one add_halo per active field.
template <corners C = corners::filled, tensor... X>
  requires(active_value<X> || ...)
[[nodiscard]] constexpr auto exchange_halo_async(ops_detail::bundled<X...> const& b,
                                                 call_site w = call_site::current()) {
  return autodiff_detail::begun<C>(b.members, exchange_halo_async<C>(autodiff_detail::plain_bundle(b), w), w);
}

/// Adds the halo cells of an active tensor. Its pullback exchanges the halo of the cotangent. Cells that add_halo drops get 0:
/// given ones, and with corners::skipped those in corners.
template <corners C = corners::filled, active_value X>
[[nodiscard]] constexpr auto add_halo(X const& x, call_site w = call_site::current()) {
  return autodiff_detail::linear(x, add_halo<C>(x.value(), w), [w](auto ct) {
    using H = autodiff_detail::dual_t<X>;
    constexpr plan_detail::backend_of<decltype(ct)> runs{};
    if constexpr (C == corners::skipped) {
      auto const zero_around = copy_cells<layout_t<typename X::plain_type>>(runs, ct);
      auto const filled = exchange_halo<C>(same_cells<layout_detail::unfilled<H>>(runs, zero_around), w);
      return same_cells<H>(runs, filled);
    } else {
      if constexpr (layout_detail::has_given_edge<H>) own_memory(runs, ct);
      auto const filled = exchange_halo<C>(ct, w);
      clear_given(runs, filled);
      return filled;
    }
  });
}

}  // namespace ashlar
