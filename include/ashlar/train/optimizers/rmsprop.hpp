// SPDX-License-Identifier: BSL-1.0
// RMSprop.
#pragma once
#include "ashlar/train/optimizers/update.hpp"

namespace ashlar::train_detail {

// One of `inner` and `outer` is the rate, the other is 1, as in sgd_step.
template <class T>
struct rmsprop_step {
  using takes_a_root = void;
  T inner, outer, rho, rest, momentum, epsilon;
  bool epsilon_inside;
  ASHLAR_FUNCTION T radicand(T variance) const {
    T const x = variance > T(0) ? variance : T(0);  // rounding may leave less if centered
    return epsilon_inside ? x + epsilon : x;
  }
  ASHLAR_FUNCTION T step(T g, T root) const { return inner * g / (epsilon_inside ? root : root + epsilon); }
  ASHLAR_FUNCTION void move(T& p, T g, T root) const { p -= outer * step(g, root); }
  ASHLAR_FUNCTION void move(T& p, T g, T root, T& m) const {
    m = momentum * m + step(g, root);
    p -= outer * m;
  }
};

template <class T>
struct rmsprop_plain : rmsprop_step<T> {
  template <class... M>
  ASHLAR_FUNCTION T under_root(T&, T const& g, T& v, M&...) const {
    v = this->rho * v + this->rest * g * g;
    return this->radicand(v);
  }
  template <class... M>
  ASHLAR_FUNCTION void with_root(T root, T& p, T const& g, T&, M&... m) const {
    this->move(p, g, root, m...);
  }
};
template <class T>
struct rmsprop_centered : rmsprop_step<T> {
  template <class... M>
  ASHLAR_FUNCTION T under_root(T&, T const& g, T& v, T& mean, M&...) const {
    v = this->rho * v + this->rest * g * g;
    mean = this->rho * mean + this->rest * g;
    return this->radicand(v - mean * mean);
  }
  template <class... M>
  ASHLAR_FUNCTION void with_root(T root, T& p, T const& g, T&, T&, M&... m) const {
    this->move(p, g, root, m...);
  }
};

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// Steps taken, mean square, mean, and momentum. A tensor that the options do not use has no elements.
template <class V, class A, class M>
struct rmsprop_state {
  long step;
  V v;
  A mean;
  M m;
  static constexpr auto names = ashlar::names("step", "v", "mean", "m");
};

/// RMSprop: v = rho v + (1 - rho) g^2; p -= rate g / sqrt(v + epsilon). If centered, the square of the mean gradient is
/// subtracted from v. With momentum: m = momentum m + that step, p -= m. The defaults are Keras'. PyTorch's convention
/// is rate g / (sqrt(v) + epsilon), and its momentum accumulates g / (sqrt(v) + epsilon).
/// Cost: no communication; one kernel per parameter.
/// Source: Hinton, Neural networks for machine learning, lecture 6e; centered: Graves, arXiv:1308.0850.
struct rmsprop {
  schedule rate = 1e-3;
  double rho = 0.9, momentum = 0, epsilon = 1e-7;
  bool centered = false;
  convention follows = convention::keras;

  /// Post: the tensors of the state have the parameters' layouts.
  template <class P>
  constexpr auto init(P const& p) const {
    auto v = train_detail::zeros_like(p);
    auto mean = train_detail::zeros_if(centered, p);
    auto m = train_detail::zeros_if(momentum != 0, p);
    return rmsprop_state<decltype(v), decltype(mean), decltype(m)>{0, v, mean, m};
  }
  /// Error: gradients of another tree, or a gradient with another layout than its parameter, do not compile. If a
  /// gradient, or a used part of the state, has other extents than the parameter, ashlar::error is thrown.
  template <class P, class S, class G>
  constexpr void update(P& p, S& state, G const& g) const {
    if constexpr (meta_detail::hold<train_detail::operands_of_update<rmsprop_state<int, int, int>, P, S, G>>()) {
      train_detail::check_update(p, g, state.v);
      if (centered) train_detail::check_update(p, g, state.mean);
      if (momentum != 0) train_detail::check_update(p, g, state.m);
      double const r = rate(state.step++);
      bool const keras = follows == convention::keras;
      for_each_leaf(
          [&](auto& x, auto const& gradient, auto& v, auto& mean, auto& m) {
            train_detail::check_gradient<decltype(x), decltype(gradient)>();
            using T = element_t<decltype(x)>;
            train_detail::rmsprop_step<T> const f{keras ? T(r) : T(1), keras ? T(1) : T(r), T(rho), T(1 - rho),
                                                  T(momentum),         T(epsilon),          keras};
            if (centered && momentum != 0)
              train_detail::update_each(train_detail::rmsprop_centered<T>{f}, x, gradient, v, mean, m);
            else if (centered)
              train_detail::update_each(train_detail::rmsprop_centered<T>{f}, x, gradient, v, mean);
            else if (momentum != 0)
              train_detail::update_each(train_detail::rmsprop_plain<T>{f}, x, gradient, v, m);
            else
              train_detail::update_each(train_detail::rmsprop_plain<T>{f}, x, gradient, v);
          },
          p, g, state.v, state.mean, state.m);
    }
  }
};

}  // namespace ashlar::training
