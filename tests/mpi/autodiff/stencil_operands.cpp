// labels: nightly
// Derivatives of stencils with respect to further operands that they read beside the cell: <Fx, y> = <x, F*y> in integers,
// and difference quotients.
#include <ashlar/autodiff/autodiff.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include <array>
#include <cmath>
#include "support/halo_derivatives.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;
using extents = std::array<index_t, 2>;
using test::dot, test::integers, test::number, test::wave;

template <class F>
void for_each_grid(F const& f) {
  for (auto const& sizes : test::halo_meshes())
    for (extents const& n : {extents{9, 12}, {3, 2}, {1, 17}, {0, 4}})
      f(device_mesh<grid>(MPI_COMM_WORLD, {sizes[0], sizes[1]}), n);
}

struct both {
  static constexpr auto reach = reaches(star(1, 1), box({1, 2}, {0, 1}));
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& v) const {
    return u(0, 0) + 2 * u(-1, 0) - u(0, 1) + 3 * v(2, 1) - v(-1, 0) + 5 * v(1, 0);
  }
};
struct second_alone {
  static constexpr auto reach = reaches(centre, star(1, 1));
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(cell_index<2> const& at, auto const& u, auto const& v) const {
    return u(0, 0) + static_cast<double>(at[0] + 1) * v(0, -1) - 2 * v(1, 0);
  }
};
struct two_results {
  static constexpr auto reach = reaches(star(1, 0), star(1, 1));
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& v) const {
    return several(u(1, 0) - 2 * v(0, 1), 3 * v(-1, 0) + u(0, 0) - v(0, 0));
  }
};
struct two_operands_alike {
  static constexpr auto reach = reaches(star(1, 1), star(1, 1));
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& v) const {
    return u(-1, 0) - 2 * u(0, 1) + 3 * v(1, 0) + v(0, 0);
  }
};
// The flux of a height h by a velocity v: nonlinear in both.
struct flux {
  static constexpr auto reach = reaches(star(1, 0), star(0, 1));
  ASHLAR_FUNCTION constexpr auto operator()(auto const& h, auto const& v) const {
    return h(1, 0) * h(-1, 0) * v(0, 1) + v(0, -1) * v(0, -1) * h(0, 0);
  }
  template <int I>
  ASHLAR_FUNCTION constexpr double slope(cell_index<2> const& o, auto const& h, auto const& v) const {
    if constexpr (I == 0) {
      if (o[0] == 0) return v(0, -1) * v(0, -1);
      return h(o[0] == 1 ? -1 : 1, 0) * v(0, 1);
    } else {
      return o[1] == 1 ? h(1, 0) * h(-1, 0) : o[1] == -1 ? 2 * v(0, -1) * h(0, 0) : 0;
    }
  }
};

// f(u, v) is linear in both, so a difference of two losses is the gradient times the difference.
template <class U, class V, class F>
void check_linear(device_mesh<grid> const& m, extents const& n, F const& f) {
  auto const y = integers<layout<"y", "x">>(m, n, 77);
  auto const u = integers<U>(m, n, 1), other_u = integers<U>(m, n, 2);
  auto const v = integers<V>(m, n, 3), other_v = integers<V>(m, n, 4);
  auto const loss = [&](auto const& p) { return dot(f(std::get<0>(p), std::get<1>(p)), y); };
  auto const [value, g] = value_and_grad<none>(loss)(std::tuple(u, v));
  auto const& [g_u, g_v] = g;
  static_assert(std::is_same_v<layout_t<decltype(g_u)>, U> && std::is_same_v<layout_t<decltype(g_v)>, V>);
  CHECK(number(value) == number(dot(u, g_u)) + number(dot(v, g_v)));
  CHECK(number(loss(std::tuple(other_u, v))) - number(value) == number(dot(g_u, other_u - u)));
  CHECK(number(loss(std::tuple(u, other_v))) - number(value) == number(dot(g_v, other_v - v)));
}

template <class H, class K>
void check_halos() {
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    CAPTURE(n[0]);
    CAPTURE(n[1]);
    using S = H;
    using T = K;
    check_linear<S, T>(
        m, n, [](auto const& u, auto const& v) { return stencil(both{}, exchange_halo(u), exchange_halo(v)); });
    for (int distance : {0, 1, 2}) {
      check_linear<S, T>(m, n, [&](auto const& u, auto const& v) {
        return stencil(both{}, inside(distance), exchange_halo_async<corners::skipped>(u), exchange_halo(v));
      });
      check_linear<S, T>(m, n, [&](auto const& u, auto const& v) {
        auto const [a, b] = stencil(two_results{}, inside(distance), exchange_halo(u), exchange_halo(v));
        return 2. * owned(a) - owned(b);
      });
    }
    check_linear<layout<"y", "x">, T>(m, n, [](auto const& u, auto const& v) {
      return stencil(second_alone{}, u, exchange_halo<corners::skipped>(v));
    });
    check_linear<S, S>(m, n, [](auto const& u, auto const& v) {  // the first operand is the second, too
      auto const w = exchange_halo(u);
      return stencil(two_operands_alike{}, w, w) + v;
    });
    check_linear<S, T>(m, n, [](auto const& u, auto const& v) {
      auto const [a, b] = stencil(two_results{}, exchange_halo_async(bundle(u, v)));
      return 2. * owned(a) - owned(b);
    });
  });
}

}  // namespace

TEST_CASE("stencil: cotangents of further operands are sums of halos, with every boundary") {
  check_halos<layout<halo("y", 1), halo("x", 1)>, layout<halo("y", 1, 2), halo("x", 1, 2)>>();
  check_halos<layout<halo("y", 1, boundary::mirror), halo("x", 1, boundary::periodic)>,
              layout<halo("y", 2, boundary::odd), halo("x", 1, boundary::copy)>>();
  check_halos<layout<halo("y", 2, boundary::reflect), halo("x", 1)>,
              layout<halo("y", 1, 2, boundary::periodic), halo("x", 3, boundary::mirror)>>();
}

TEST_CASE("stencil: derivatives by operands of a nonlinear functor equal a difference quotient") {
  using H = layout<halo("y", 1, boundary::reflect), halo("x", 1, boundary::periodic)>;
  using K = layout<halo("y", 1), halo("x", 1, boundary::odd)>;
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    auto const make = [&]<class S>(S, double a, double b) { return generate<double, S>(m, {n[0], n[1]}, wave{a, b}); };
    auto const h = make(H{}, 1.3, 0.7), h_direction = make(H{}, 0.4, 2.1);
    auto const v = make(K{}, 0.9, 1.7), v_direction = make(K{}, 2.4, 0.3);
    for (int distance : {0, 1}) {
      auto const loss = [&](auto const& p) {
        auto const& [a, b] = p;
        auto const y = stencil(flux{}, inside(distance), exchange_halo(a), exchange_halo(b));
        return dot(y, y);
      };
      auto const [value, g] = value_and_grad<none>(loss)(std::tuple(h, v));
      auto const at = [&](double t) { return number(loss(std::tuple(h + t * h_direction, v + t * v_direction))); };
      double const step = 1e-5, quotient = (at(step) - at(-step)) / (2 * step);
      double const slope = number(dot(std::get<0>(g), h_direction)) + number(dot(std::get<1>(g), v_direction));
      CHECK(std::abs(slope - quotient) <= 1e-7 * (1 + std::abs(slope)));
    }
  });
}
