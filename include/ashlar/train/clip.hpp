// SPDX-License-Identifier: BSL-1.0
// Scales all gradients down together if their common norm is large.
#pragma once
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/ops/norm.hpp"
#include "ashlar/ops/collectives.hpp"

namespace ashlar {

/// A tree of gradients, and the norm that it had before it was scaled: a scalar.
template <class G, class N>
struct clipped_gradients {
  G gradients;
  N norm;
};

namespace train_detail {

// Axes that shard any leaf of a tree.
template <class X>
struct axes_sharding {
  static constexpr axis_mask value = plan_detail::value_on<mesh_t<X>, layout_t<X>>.sharding();
};
template <class X>
inline constexpr axis_mask axes_sharding_v = axes_sharding<X>::value;
template <template <class...> class S, class... M>
  requires tree<S<M...>>
inline constexpr axis_mask axes_sharding_v<S<M...>> = (0u | ... | axes_sharding_v<M>);

// The layout of a scalar that is a partial sum over some axes of a mesh.
template <class Mesh, axis_mask Axes>
struct sum_over {
  static constexpr layout_value value = [] {
    layout_value v;
    v.add_partial(op_sum, Axes);
    return v;
  }();
  using type = layout_from_t<mesh_context<Mesh, layout<>>, encode(value), 0, 0>;
};

template <class T>
struct clip_factor {
  static constexpr linearity kind = linearity::nonlinear;
  T largest, added;
  ASHLAR_FUNCTION T operator()(T sum_of_squares) const {
    T const norm = math_sqrt(sum_of_squares), factor = largest / (norm + added);
    return factor < T(1) ? factor : norm == norm ? T(1) : norm;  // NaN stays NaN
  }
};

}  // namespace train_detail

/// Scales a tree of gradients by largest / (norm + added) if that is less than 1. The norm is over all their elements
/// together. Each element counts once, however many ranks hold it. PyTorch's `added` is 1e-6.
/// Post: every gradient keeps its layout. If the norm is NaN, all gradients are NaN.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one all-reduce of one element over the axes that shard some gradient, if there are any; two kernels per
/// gradient.
/// Error: a gradient that is still partial, or of integers, does not compile.
/// Example: auto [g, norm] = clip_by_global_norm(gradients, 1.0);
/// Source: Pascanu, Mikolov and Bengio, On the difficulty of training recurrent neural networks, ICML 2013.
template <class G>
[[nodiscard]] constexpr auto clip_by_global_norm(G const& gradients, double largest, double added = 0,
                                                 call_site w = call_site::current()) {
  using namespace train_detail;
  auto const& first = first_leaf(gradients);
  using T = element_t<decltype(first)>;
  using L = typename sum_over<mesh_t<decltype(first)>, axes_sharding_v<G>>::type;
  auto sum = filled<T, L>(first.mesh(), shape{}, T(0));
  for_each_leaf(
      [&](auto const& x) {
        // One of the ranks that hold the same elements contributes their squares, the others contribute 0.
        auto const more = sum + relayout(destination<L, 0u>{}, sum_of_squares(x), w);
        sum = decltype(sum)(plan_detail::materialize(more));
      },
      gradients);
  auto const total = all_reduce(sum, w);
  auto const factor = elementwise(clip_factor<T>{static_cast<T>(largest), static_cast<T>(added)}, total);
  auto scaled = map([&](auto const& x) { return x * factor; }, gradients);
  auto norm = sqrt(total);
  return clipped_gradients<decltype(scaled), decltype(norm)>{scaled, norm};
}
template <class G>
  requires(autodiff_detail::leaf_is_of_integers<G>::value)
[[nodiscard]] constexpr auto clip_by_global_norm(G const& gradients, double, double = 0, call_site = {}) {
  static_assert(!autodiff_detail::leaf_is_of_integers<G>::value,
                "ashlar::clip_by_global_norm: the elements are integers; write cast<double>(x)");
  return clipped_gradients<G, G>{gradients, gradients};
}

}  // namespace ashlar
