// SPDX-License-Identifier: BSL-1.0
// Updates of parameters in the layouts of their gradients.
#pragma once
#include "ashlar/ops/ops.hpp"

namespace ashlar::train_detail {

inline constexpr auto take_over = [](auto& to, auto const& from) { to = redistribute<layout_t<decltype(to)>>(from); };

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// Updates parameters by gradients that have other layouts, such as shards of them (ZeRO 1). Each rank updates its share
/// of each parameter, in the layout of the gradient. Then the shares are gathered.
/// Pre: the optimizer's state has the layouts of the gradients.
/// Post: p is, in its layouts, as after an update with gathered gradients and state.
/// Collective: if redistribute is.
/// Cost: as redistribute of each parameter to its gradient's layout and back; none if the layouts are equal.
/// Example: update_in_shares(adam{}, p, state, map([](auto const& g) { return reduce_scatter<"data", 0>(g); }, grads));
/// Source: Rajbhandari et al., ZeRO: memory optimizations toward training trillion parameter models, 2020.
template <class Optimizer, class P, class State, class G>
constexpr void update_in_shares(Optimizer const& optimizer, P& p, State& state, G const& gradients) {
  auto const shares = map([](auto const& g) { return plan_detail::evaluated(g); }, gradients);
  auto own = shares;
  for_each_leaf(train_detail::take_over, own, p);
  optimizer.update(own, state, shares);
  for_each_leaf(train_detail::take_over, p, own);
}

}  // namespace ashlar::training
