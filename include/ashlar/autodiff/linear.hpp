// SPDX-License-Identifier: BSL-1.0
// Linear maps of one operand, and the derivatives of collectives.
#pragma once
#include "ashlar/autodiff/active.hpp"
#include "ashlar/ops/arrays/roll.hpp"

namespace ashlar {

namespace autodiff_detail {

/// The layout of an active tensor's cotangent.
template <active_value X>
using dual_t = layout_t<typename X::cotangent_type>;

/// Adds make(to) to the cotangent of x if x is active. `to` is the cotangent's layout as a destination. make gives a tensor
/// that converts to the cotangent, or a `pending`, for which the cotangent waits.
template <class X, class Make>
constexpr void pull_to(X const& x, Make const& make) {
  if constexpr (active_value<X>) {
    auto g = make(ops_detail::destination<dual_t<X>, 0u>{});
    if constexpr (tensor<decltype(g)>)
      x.cotangent().add(typename X::cotangent_type(std::move(g)));
    else
      x.cotangent().add_later(std::move(g));
  }
}

// The transpose of a map of one operand.
template <class X, class Transpose>
struct pullback_of_map {
  X x;
  Transpose transpose;
  constexpr void operator()(auto const& result) const {
    pull_to(x, [&](auto) { return transpose(result.cotangent().take()); });
  }
};

/// The active result y = F x of a linear map F. The tape keeps x, y and `transpose`, whose captures are all else that the
/// backward pass needs.
/// Pre: transpose(ct) = F* ct, as pull_to takes it.
/// Post: <F x, ct> == <x, transpose(ct)> for all x and ct. The result is replicated over the axes over which x is, and
///   over `Replicated`, except axes that its layout names.
/// Collective: as F forward and as F* backward. No call of transpose if the loss does not depend on the result.
/// Cost: nothing forward beside F. Backward one call, with a cotangent that nobody else has: F* may work in its memory.
/// Example: linear(x, roll_along(along, x.value(), by, w), [=](auto const& ct) { return roll_along(along, ct, -by, w); })
template <axis_mask Replicated = 0, active_value X, class Y, class Transpose>
constexpr auto linear(X const& x, Y const& y, Transpose const& transpose) {
  return record<(X::replicated | Replicated) & ~named_of<Y>>(y, pullback_of_map<X, Transpose>{x, transpose}, x);
}

}  // namespace autodiff_detail

namespace ops_detail {

using autodiff_detail::dual_t, autodiff_detail::linear, autodiff_detail::pull_to;

/// Brings an active tensor into another layout. Its pullback brings the cotangent into the dual layout: the derivative
/// of each collective is the plan between the dual layouts.
template <class To, axis_mask Replicated, axis_mask MayHelp, active_value X>
constexpr auto relayout(destination<To, Replicated, MayHelp>, X const& x, call_site const& w) {
  return linear<Replicated>(x, relayout(destination<To, 0u, MayHelp>{}, x.value(), w),
                            [w](auto const& ct) { return relayout(destination<dual_t<X>, 0u, MayHelp>{}, ct, w); });
}

/// The same value, replicated. Its pullback begins the reduction, which ends when the operand's cotangent is read.
template <class To, axis_mask Replicated, active_value X>
constexpr auto relayout_back_async(destination<To, Replicated>, X const& x, call_site const& w) {
  return linear<Replicated>(x, x.value(),
                            [w](auto const& ct) { return relayout_async(destination<dual_t<X>, 0u>{}, ct, w); });
}

// The tape runs backward, so the layers end where it begins them.
template <active_value X>
constexpr void begin_layers(later_layers n, X const& x) {
  begin_layers(n, x.value());
  x.recording_tape().push([n, x] { end_layers(n, x.value()); });
}
template <active_value X>
constexpr void end_layers(later_layers n, X const& x) {
  end_layers(n, x.value());
  x.recording_tape().push([n, x] { begin_layers(n, x.value()); });
}

/// Rolls an active tensor. Its pullback rolls the cotangent back.
template <int Dim, active_value X>
constexpr auto roll_along(rolled_along<Dim> along, X const& x, index_t by, call_site const& w) {
  return linear(x, roll_along(along, x.value(), by, w), [=](auto const& ct) { return roll_along(along, ct, -by, w); });
}

}  // namespace ops_detail

}  // namespace ashlar
