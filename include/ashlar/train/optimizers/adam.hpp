// SPDX-License-Identifier: BSL-1.0
// Adam, and AdamW.
#pragma once
#include "ashlar/train/numbers.hpp"
#include "ashlar/train/optimizers/update.hpp"

namespace ashlar::train_detail {

// 1 - beta is rounded once, from double: in float 1 - 0.999f is off by 5e-5.
template <class T>
struct adam_step {
  using takes_a_root = void;
  T beta1, rest1, beta2, rest2, rate, correction2, epsilon, keep;
  ASHLAR_FUNCTION T under_root(T&, T const& g, T& m, T& v) const {
    m = beta1 * m + rest1 * g;
    v = beta2 * v + rest2 * g * g;
    return v * correction2;
  }
  ASHLAR_FUNCTION void with_root(T root, T& p, T const&, T& m, T&) const { p = keep * p - rate * m / (root + epsilon); }
};

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// The state of adam and adamw: the number of steps, and both moments in the layouts of the parameters.
template <class M, class V>
struct adam_state {
  long step;
  M m;
  V v;
  static constexpr auto names = ashlar::names("step", "m", "v");
};

}  // namespace ashlar::training

namespace ashlar::train_detail {

// adam and adamw. PyTorch adds epsilon to the corrected root, Keras to the root before its correction.
template <bool Decays>
struct adam_with_decay {
  schedule rate = 1e-3;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7, decay = Decays ? 1e-2 : 0;
  convention follows = convention::pytorch;

  /// Post: the moments have the parameters' layouts.
  template <class P>
  constexpr auto init(P const& p) const {
    auto m = zeros_like(p);
    auto v = zeros_like(p);
    return adam_state<decltype(m), decltype(v)>{0, m, v};
  }
  /// Error: gradients of another tree, or a gradient with another layout than its parameter, do not compile. If a
  /// gradient, or a used part of the state, has other extents than the parameter, ashlar::error is thrown.
  template <class P, class S, class G>
  constexpr void update(P& p, S& state, G const& g) const {
    if constexpr (meta_detail::hold<operands_of_update<training::adam_state<int, int>, P, S, G>>()) {
      check_update(p, g, state.m, state.v);
      double const now = rate(state.step++);
      double const c1 = 1 - power(beta1, state.step), c2 = 1 - power(beta2, state.step);
      bool const keras = follows == convention::keras;
      for_each_leaf(
          [&](auto& x, auto const& gradient, auto& m, auto& v) {
            check_gradient<decltype(x), decltype(gradient)>();
            using T = element_t<decltype(x)>;
            T const scaled = keras ? T(now * square_root(c2) / c1) : T(now / c1);
            adam_step<T> const f{
                T(beta1),   T(1 - beta1),      T(beta2), T(1 - beta2), scaled, keras ? T(1) : T(1 / c2),
                T(epsilon), T(1 - now * decay)};
            update_each(f, x, gradient, m, v);
          },
          p, g, state.m, state.v);
    }
  }
};

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// Adam. m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2, p -= rate m^ / (sqrt(v^) + epsilon). m^ and v^ are m and v,
/// corrected for their start at zero. Keras' convention is p -= rate m^ / (sqrt(v^) + epsilon / sqrt(1 - b2^step)). It
/// adds epsilon before the correction ("epsilon hat" of the paper).
/// Members: rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7, decay = 0 (adamw's), follows = convention::pytorch.
/// Cost: no communication; one kernel per parameter, which reads and writes each element once.
/// Source: Kingma and Ba, Adam: a method for stochastic optimization, ICLR 2015.
using adam = train_detail::adam_with_decay<false>;

/// Adam with decoupled weight decay: p is multiplied by 1 - rate decay, then takes Adam's step. All parameters decay.
/// Members: adam's, with decay = 1e-2.
/// Cost: Adam's.
/// Source: Loshchilov and Hutter, Decoupled weight decay regularization, ICLR 2019.
using adamw = train_detail::adam_with_decay<true>;

}  // namespace ashlar::training
