// Fields of integers that look random, and checks, for tests of derivatives of exchanges and stencils.
#pragma once
#include <ashlar/autodiff/autodiff.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include <algorithm>
#include <array>
#include <cmath>
#include "support/halo_meshes.hpp"

namespace ashlar::test {

struct any_integer {
  index_t seed;
  ASHLAR_FUNCTION double operator()(index_t i, index_t j = 0, index_t k = 0) const {
    auto const x = static_cast<std::uint64_t>((seed * 131 + i) * 131 + j + 1 + 2248091 * k) * 0x9e3779b97f4a7c15u;
    return static_cast<double>(static_cast<index_t>(x >> 40) % 41 - 20);
  }
};
template <class L, class M, std::size_t N>
auto integers(device_mesh<M> const& m, std::array<index_t, N> const& n, index_t seed) {
  index_t extents[N];
  std::copy(n.begin(), n.end(), extents);
  return generate<double, L>(m, extents, any_integer{seed});
}
inline constexpr auto dot = [](auto const& x, auto const& y) { return all_reduce(sum(x * y)); };
double number(auto const& x) { return item(x); }

/// Checks <F x, y> == <x, F* y> for a linear F, and that the gradient has the layout of x.
template <class X, class M, std::size_t N, class F>
void check_linear_field(device_mesh<M> const& m, std::array<index_t, N> const& n, F const& f) {
  auto const y = integers<owned_layout_t<X>>(m, n, 77);
  auto const x = integers<X>(m, n, 1);
  auto const [value, g] = value_and_grad<none>([&](auto const& u) { return dot(f(u), y); })(x);
  static_assert(std::is_same_v<layout_t<decltype(g)>, X>);
  for (index_t seed = 1; seed < 4; ++seed) {
    auto const other = integers<X>(m, n, seed);
    CHECK(number(dot(f(other), y)) == number(dot(other, g)));
  }
}

/// A smooth field.
struct wave {
  double a, b;
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const {
    return std::sin(a * static_cast<double>(i + 1)) + std::cos(b * static_cast<double>(j + 2 * i));
  }
};
/// Checks that the derivative of a loss at u equals a difference quotient.
template <class Loss, class U>
void check_smooth_loss(Loss const& loss, U const& u, U const& direction) {
  auto const [value, g] = value_and_grad<none>(loss)(u);
  double const h = 1e-5, slope = number(dot(g, direction));
  double const quotient = (number(loss(u + h * direction)) - number(loss(u - h * direction))) / (2 * h);
  CHECK(std::abs(slope - quotient) <= 1e-7 * (1 + std::abs(slope)));
}

// Stencils that are linear in the field.
struct cross {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& v) const {
    return 3 * u(-1, 0) - u(1, 0) + 2 * u(0, -1) + 5 * u(0, 1) - 4 * u(0, 0) + 7 * v(0, 0);
  }
};
struct with_index {
  static constexpr auto reach = star(0, 1);
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(cell_index<2> const& at, auto const& u) const {
    return static_cast<double>(at[0] - 2 * at[1]) * u(0, 1) - u(0, -1);
  }
};
struct conduct {  // linear in the field, and in the conductivity
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::multilinear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& k) const {
    return k(0, 0) * (u(-1, 0) + u(1, 0) + 2 * u(0, -1) - u(0, 1));
  }
};

}  // namespace ashlar::test
