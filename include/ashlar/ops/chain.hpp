// A chain of layers.
#pragma once
#include "ashlar/meta/tree.hpp"
#include "ashlar/plan/tensor.hpp"

namespace ashlar {

namespace ops_detail {
template <std::size_t I, class Layers, class X, class F>
constexpr auto chain_from(Layers const& layers, X const& x, F const& f) {
  if constexpr (I == members_of<Layers>::count)
    return x;
  else
    return chain_from<I + 1>(layers, materialize(f(x, member<I>(layers), I)), f);
}
}  // namespace ops_detail

/// Applies the layers of a tree to x in their order: x = f(x, layers[0], 0), x = f(x, layers[1], 1), ... Each result is
/// evaluated before the next layer reads it. So sums along a residual stream do not grow into one expression. Equal
/// layers are compiled once if their results have the type of their operands.
/// Cost: the cost of f's calls.
/// Example: auto y = chain(p.layers, x, [](auto const& h, auto const& layer, std::size_t) { return block(h, layer); });
template <tree Layers, class X, class F>
constexpr auto chain(Layers const& layers, X const& x, F const& f) {
  return ops_detail::chain_from<0>(layers, plan_detail::materialize(x), f);
}

}  // namespace ashlar
