// SPDX-License-Identifier: BSL-1.0
// Stochastic gradient descent.
#pragma once
#include "ashlar/train/optimizers/update.hpp"

namespace ashlar::train_detail {

// `inner` multiplies the gradients that the momentum accumulates, `outer` the step. One of them is the rate, the other
// is 1.
template <class T>
struct sgd_step {
  T inner, outer, momentum;
  bool nesterov;
  ASHLAR_FUNCTION void operator()(T& p, T const& g) const { p -= inner * outer * g; }
  ASHLAR_FUNCTION void operator()(T& p, T const& g, T& m) const {
    T const gathered = inner * g;
    m = momentum * m + gathered;
    p -= outer * (nesterov ? gathered + momentum * m : m);
  }
};

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// Steps taken, and the momentum: tensors like the parameters, or without elements if there is no momentum.
template <class M>
struct sgd_state {
  long step;
  M m;
  static constexpr auto names = ashlar::names("step", "m");
};

/// Stochastic gradient descent with momentum: m = momentum m + g, p -= rate m (Nesterov: p -= rate (g + momentum m)).
/// Keras' convention is m = momentum m + rate g, p -= m (p -= rate g + momentum m). It differs if the rate changes.
/// Cost: no communication; one kernel per parameter.
struct sgd {
  schedule rate = 1e-2;
  double momentum = 0;
  bool nesterov = false;
  convention follows = convention::pytorch;

  /// Post: the momentum has the parameters' layouts.
  template <class P>
  constexpr auto init(P const& p) const {
    auto m = train_detail::zeros_if(momentum != 0, p);
    return sgd_state<decltype(m)>{0, m};
  }
  /// Error: gradients of another tree, or a gradient with another layout than its parameter, do not compile. If a
  /// gradient, or a used part of the state, has other extents than the parameter, ashlar::error is thrown.
  template <class P, class S, class G>
  constexpr void update(P& p, S& state, G const& g) const {
    if constexpr (meta_detail::hold<train_detail::operands_of_update<sgd_state<int>, P, S, G>>()) {
      train_detail::check_update(p, g);
      if (momentum != 0) train_detail::check_update(p, g, state.m);
      double const r = rate(state.step++);
      bool const keras = follows == convention::keras;
      for_each_leaf(
          [&](auto& x, auto const& gradient, auto& m) {
            train_detail::check_gradient<decltype(x), decltype(gradient)>();
            using T = element_t<decltype(x)>;
            train_detail::sgd_step<T> const f{keras ? T(r) : T(1), keras ? T(1) : T(r), T(momentum), nesterov};
            if (momentum != 0)
              train_detail::update_each(f, x, gradient, m);
            else
              train_detail::update_each(f, x, gradient);
          },
          p, g, state.m);
    }
  }
};

}  // namespace ashlar::training
