// SPDX-License-Identifier: BSL-1.0
// The derivative of one function at one cotangent.
#pragma once
#include "ashlar/autodiff/value_and_grad.hpp"

namespace ashlar {

namespace autodiff_detail {

template <class Given, class Dual>
inline constexpr bool cotangent_has_another_layout = !std::is_same_v<Given, Dual>;

template <dimension Axes, class F>
struct pulled_back {
  F f;
  template <class Ct, class... X>
  constexpr auto operator()(Ct const& cotangent, X const&... x) const {
    tape t;
    auto const active_arguments = ashlar::map(
        [&](auto const& leaf) { return activate<collective_axes<mesh_t<decltype(leaf)>, names_in_t<Axes>>>(t, leaf); },
        std::tuple<X...>(lend(x)...));
    t.keep();
    {
      auto const y = std::apply(f, active_arguments);
      using Y = std::remove_cvref_t<decltype(y)>;
      if constexpr (!active_value<Y>) {
        static_assert(!loss_is_no_active_value<Y>,
                      "ashlar::vjp: the function's value depends on none of its arguments; return what they lead to");
      } else {
        using C = typename Y::cotangent_type;
        static_assert(
            !cotangent_has_another_layout<layout_t<Ct>, layout_t<C>>,
            "ashlar::vjp: the cotangent has another layout than the dual of the function's value; redistribute it, see docs/explanation/differentiation.md");
        if constexpr (!cotangent_has_another_layout<layout_t<Ct>, layout_t<C>>)
          y.cotangent().add(C(materialize(cotangent)));
      }
    }
    t.run();
    return ashlar::map([](auto const& leaf) { return gradient_of(leaf); }, active_arguments);
  }
};

}  // namespace autodiff_detail

/// The function (cotangent of f(x...), x...) -> cotangents of x..., a tuple of trees. It runs f, and then its backward
/// pass. It is for programs that run a backward pass in parts; value_and_grad runs a whole one. Over the named axes,
/// arguments that they do not shard are replicated, and their cotangents are partial. Over all other axes they are
/// invariant. f returns a tensor.
/// Post: <f'(x) dx, cotangent> == <dx, result> for every dx.
/// Collective: as f, forward and backward.
/// Error: does not compile if the cotangent does not have the dual layout of f's value, or if the value depends on no
/// argument.
/// Example: auto [dw, dx] = vjp<"data">(layer)(dy, w, x);
template <dimension Axes, class F>
constexpr autodiff_detail::pulled_back<Axes, F> vjp(F f) {
  return {f};
}

}  // namespace ashlar
