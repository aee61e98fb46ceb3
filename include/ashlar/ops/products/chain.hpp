// SPDX-License-Identifier: BSL-1.0
// A chain of layers.
#pragma once
#include "ashlar/meta/tree.hpp"
#include "ashlar/plan/backend.hpp"

namespace ashlar {

namespace ops_detail {
template <std::size_t I, class Layers, class X, class F>
constexpr auto chain_from(Layers const& layers, X const& x, F const& f) {
  if constexpr (I == members_of<Layers>::count)
    return x;
  else
    return chain_from<I + 1>(layers, materialize(f(x, member<I>(layers), I)), f);
}

// The layers after the first of equal ones: each collective of the one that is evaluated counts this often, backward
// too. The class is a tag in this namespace, so that argument-dependent lookup finds the overloads for active tensors.
struct later_layers {
  int number;
};
template <class X>
constexpr void begin_layers(later_layers n, X const& x) {
  if (auto* const log = ledger_of(x)) log->count_times(log->times_counted() * n.number);
}
template <class X>
constexpr void end_layers(later_layers n, X const& x) {
  if (auto* const log = ledger_of(x)) log->count_times(log->times_counted() / n.number);
}

// The second layer has a result of the first as its operand, as all later ones have.
template <class Layers, class X, class F>
constexpr auto chain_of_equal(Layers const& layers, X const& x, F const& f) {
  static_assert(
      !backend_of<plain_t<decltype(stop_gradient(x))>>::begins_early,
      "ashlar::chain: equal_layers is one layer in place of many, for dry runs; write stack<N>(layer) on real ranks");
  auto const y = materialize(f(x, layers.each, std::size_t(0)));
  later_layers const later{static_cast<int>(equal_layers_of<Layers>) - 1};
  begin_layers(later, y);
  auto const z = materialize(f(y, layers.each, std::size_t(1)));
  end_layers(later, z);
  static_assert(
      std::is_same_v<decltype(z), decltype(y)>,
      "ashlar::chain: one of equal_layers gives another type than it takes, so they are not equal; write stack<N>(layer)");
  if (!(z.extents() == y.extents()))
    fail_extents("ashlar::chain: one of equal_layers gives other extents than it takes", y.extents(), z.extents());
  return z;
}
}  // namespace ops_detail

/// Applies the layers of a tree to x in their order: x = f(x, layers[0], 0), x = f(x, layers[1], 1), ... Each result is
/// evaluated before the next layer reads it. So sums along a residual stream do not grow into one expression. Equal
/// layers are compiled once if their results have the type of their operands. The layers may be equal_layers<N>(layer) in
/// a dry run. Then f is called for the layers 0 and 1. Layer 1 counts for the others, in the backward pass too.
/// Cost: the cost of f's calls.
/// Error: as the functions that f calls.
/// Example: auto y = chain(p.layers, x, [](auto const& h, auto const& layer, std::size_t) { return block(h, layer); });
template <tree Layers, class X, class F>
constexpr auto chain(Layers const& layers, X const& x, F const& f) {
  if constexpr (meta_detail::equal_layers_of<Layers> != 1)
    return ops_detail::chain_of_equal(layers, plan_detail::materialize(x), f);
  else
    return ops_detail::chain_from<0>(layers, plan_detail::materialize(x), f);
}

}  // namespace ashlar
