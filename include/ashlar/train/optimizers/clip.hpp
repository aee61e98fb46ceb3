// SPDX-License-Identifier: BSL-1.0
// Scales all gradients down together if their common norm is large.
#pragma once
#include "ashlar/autodiff/value_and_grad.hpp"
#include "ashlar/meta/nan.hpp"
#include "ashlar/ops/arrays/norm.hpp"
#include "ashlar/ops/collectives.hpp"

namespace ashlar::training {

/// A tree of gradients, and the norm that it had before it was scaled: a scalar.
template <class G, class N>
struct clipped_gradients {
  G gradients;
  N norm;
};

}  // namespace ashlar::training

namespace ashlar::train_detail {

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

// The sum of squares in double, whose range holds the squares of floats.
struct sum_of_squares_in_double_op : ops_detail::sum_of_squares_op {
  template <class>
  using element = double;
};

template <class T>
struct clip_factor {
  static constexpr linearity kind = linearity::nonlinear;
  using result_type = T;
  double largest, added;
  ASHLAR_FUNCTION T operator()(double sum_of_squares) const {
    double const norm = math_sqrt(sum_of_squares), factor = largest / (norm + added);
    constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();
    return meta_detail::is_finite(norm) ? static_cast<T>(factor < 1 ? factor : 1) : not_a_number;
  }
};

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// Scales a tree of gradients by largest / (norm + added) if that is less than 1. The norm is over all their elements
/// together. Each element counts once, however many ranks hold it. PyTorch's `added` is 1e-6.
/// The squares are summed in double.
/// Post: every gradient keeps its layout. If the sum of squares is NaN or infinite, all gradients are NaN.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one all-reduce of one double over the axes that shard some gradient, if there are any; two kernels per
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
  auto sum = filled<double, L>(first.mesh(), shape{}, 0.);
  plan_detail::note_argument(sum, "bound", largest, w);
  for_each_leaf(
      [&](auto const& x) {
        auto const squares = apply(sum_of_squares_in_double_op{}, x);
        if constexpr (std::is_same_v<element_t<decltype(squares)>, double>) {  // else the operand is an error
          // One of the ranks that hold the same elements contributes their squares, the others contribute 0.
          auto const more = sum + relayout(destination<L, 0u>{}, squares, w);
          sum = decltype(sum)(plan_detail::materialize(more));
        }
      },
      gradients);
  auto const total = all_reduce(sum, w);
  auto const factor = elementwise(clip_factor<T>{largest, added}, total);
  auto scaled = map([&](auto const& x) { return x * factor; }, gradients);
  auto norm = cast<T>(sqrt(total));
  return clipped_gradients<decltype(scaled), decltype(norm)>{scaled, norm};
}
template <class G>
  requires(autodiff_detail::leaf_is_of_integers<G>)
[[nodiscard]] constexpr auto clip_by_global_norm(G const& gradients, double, double = 0, call_site = {}) {
  static_assert(!autodiff_detail::leaf_is_of_integers<G>,
                "ashlar::training::clip_by_global_norm: the elements are integers; write cast<double>(x)");
  return clipped_gradients<G, G>{gradients, gradients};
}

}  // namespace ashlar::training
