// Optimizers. They update parameters in place, each shard where it lies.
#pragma once
#include "ashlar/autodiff/value_and_grad.hpp"

namespace ashlar {

/// Updates abstract tensors in place: nothing to do.
template <class F, class T, class L, class M, class... X>
constexpr void update_each(F const&, abstract_tensor<T, L, M>&, X const&...) {}

namespace detail {

template <class Parameter, class Gradient>
struct gradient_has_another_layout {
  static constexpr bool value = !std::is_same_v<Parameter, Gradient>;
};

template <class P, class G>
constexpr void check_gradient() {
  static_assert(!gradient_has_another_layout<layout_t<P>, layout_t<G>>::value,
                "ashlar::optimizer: a gradient has another layout than its parameter; reduce what pends: all_reduce<axis>(bundle(gradients))");
}

template <class P>
constexpr auto zeros_like(P const& p) {
  return map(
      [](auto const& x) {
        using X = std::remove_cvref_t<decltype(x)>;
        return filled(allocate(tensor_type<element_t<X>, layout_t<X>>{}, x.mesh(), x.extents()), element_t<X>(0));
      },
      p);
}

constexpr double power(double base, long n) {
  double r = 1;
  for (; n > 0; n >>= 1, base *= base)
    if (n & 1) r *= base;
  return r;
}

template <class T>
ASHLAR_FUNCTION T math_sqrt(T x);

template <class T>
struct adam_step {
  T beta1, beta2, rate, correction2, epsilon;
  ASHLAR_FUNCTION void operator()(T& p, T const& g, T& m, T& v) const {
    m = beta1 * m + (T(1) - beta1) * g;
    v = beta2 * v + (T(1) - beta2) * g * g;
    p -= rate * m / (math_sqrt(v * correction2) + epsilon);
  }
};

template <class T>
struct sgd_step {
  T rate, momentum;
  bool nesterov;
  ASHLAR_FUNCTION void operator()(T& p, T const& g, T& m) const {
    m = momentum * m + g;
    p -= rate * (nesterov ? g + momentum * m : m);
  }
};

}  // namespace detail

template <class M, class V>
struct adam_state {
  long step;
  M m;
  V v;
};

/// Adam. m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2, p -= rate m^ / (sqrt(v^) + epsilon), m^ and v^ corrected for
/// their start at zero.
/// Cost: no communication; one kernel a parameter, which reads and writes each element once.
/// Source: Kingma and Ba, Adam: a method for stochastic optimization, ICLR 2015.
struct adam {
  double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7;

  /// Post: the moments have the parameters' layouts.
  template <class P>
  constexpr auto init(P const& p) const {
    auto m = detail::zeros_like(p);
    auto v = detail::zeros_like(p);
    return adam_state<decltype(m), decltype(v)>{0, m, v};
  }
  /// Error: a gradient of another layout than its parameter does not compile.
  template <class P, class S, class G>
  constexpr void update(P& p, S& state, G const& g) const {
    ++state.step;
    double const c1 = 1 - detail::power(beta1, state.step), c2 = 1 - detail::power(beta2, state.step);
    for_each_leaf(
        [&](auto& x, auto const& gradient, auto& m, auto& v) {
          detail::check_gradient<decltype(x), decltype(gradient)>();
          using T = element_t<decltype(x)>;
          detail::adam_step<T> const f{T(beta1), T(beta2), T(rate / c1), T(1 / c2), T(epsilon)};
          update_each(f, x, gradient, m, v);
        },
        p, g, state.m, state.v);
  }
};

template <class M>
struct sgd_state {
  M m;
};

/// Stochastic gradient descent with momentum: m = momentum m + g, p -= rate m (Nesterov: p -= rate (g + momentum m)).
/// Cost: no communication; one kernel a parameter.
struct sgd {
  double rate = 1e-2, momentum = 0;
  bool nesterov = false;

  template <class P>
  constexpr auto init(P const& p) const {
    auto m = detail::zeros_like(p);
    return sgd_state<decltype(m)>{m};
  }
  template <class P, class S, class G>
  constexpr void update(P& p, S& state, G const& g) const {
    for_each_leaf(
        [&](auto& x, auto const& gradient, auto& m) {
          detail::check_gradient<decltype(x), decltype(gradient)>();
          using T = element_t<decltype(x)>;
          update_each(detail::sgd_step<T>{T(rate), T(momentum), nesterov}, x, gradient, m);
        },
        p, g, state.m);
  }
};

}  // namespace ashlar
