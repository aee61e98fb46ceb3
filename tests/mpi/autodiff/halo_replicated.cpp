// labels: nightly
// Derivatives with respect to fields with halos that are replicated over an axis: <Fx, y> = <x, F*y> in integers.
#include <ashlar/autodiff/autodiff.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include <array>
#include "support/halo_derivatives.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid_3;
using extents = std::array<index_t, 2>;
using test::dot, test::integers, test::number, test::cross, test::with_index, test::conduct;
using O = layout<"y", "x">;

template <class F>
void for_each_grid(F const& f) {
  int const p = testing::ranks();
  std::vector<std::array<int, 3>> meshes{{p, 1, 1}, {1, p, 1}};
  if (p % 2 == 0 && p > 2) meshes.insert(meshes.end(), {{2, 1, p / 2}, {p / 2, 2, 1}});
  for (auto const& sizes : meshes)
    for (extents const& n : {extents{9, 12}, {3, 2}, {1, 17}, {0, 4}})
      f(device_mesh<grid>(MPI_COMM_WORLD, {sizes[0], sizes[1], sizes[2]}), n);
}

struct any_layer {
  ASHLAR_FUNCTION double operator()(index_t k, index_t i, index_t j) const { return test::any_integer{k + 50}(i, j); }
};
// A weight whose terms differ between the ranks of "z".
auto terms(device_mesh<grid> const& m, extents const& n) {
  return sum<0>(generate<double, layout<"z", "y", "x">>(m, {5, n[0], n[1]}, any_layer{}));
}

struct blur {
  static constexpr auto reach = box(1, {0, 2});
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return 2 * u(-1, 0) + 3 * u(1, 2) - u(0, 1) + u(0, 0);
  }
};
struct both {
  static constexpr auto reach = reaches(star(1, 1), star({1, 0}, {0, 2}));
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& v) const {
    return several(u(1, 0) - 2 * v(0, 1) + v(0, 0), 3 * v(-1, 0) + u(0, -1) - 2 * v(0, 2));
  }
};
struct at_the_cell {
  static constexpr auto reach = centre;
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& v) const { return 3 * u(0, 0) - 2 * v(0, 0); }
};

// F is linear. Its operand is replicated over "z", and each rank of "z" has a term of the weight. Then the terms of the
// cotangent add up to F* of the weight's sum.
template <class X, class F>
void check_linear(device_mesh<grid> const& m, extents const& n, F const& f) {
  auto const y = terms(m, n);
  auto const sum_of_y = all_reduce(y);
  auto const x = integers<X>(m, n, 1);
  // [replicated]
  auto const [value, g] = value_and_grad<"z">([&](auto const& u) { return dot(f(u), y); })(x);
  static_assert(std::is_same_v<layout_t<decltype(g)>, partial<X, "z">>);
  // [replicated]
  CHECK(number(value) == number(dot(f(x), sum_of_y)));
  // The operand becomes replicated inside the loss, so the backward pass reduces.
  auto const [same_value, whole] =
      value_and_grad<none>([&](auto const& u) { return dot(f(as_replicated<"z">(u)), y); })(x);
  static_assert(std::is_same_v<layout_t<decltype(whole)>, X>);
  CHECK(number(same_value) == number(value));
  for (index_t seed = 1; seed < 4; ++seed) {
    auto const other = integers<X>(m, n, seed);
    double const expected = number(dot(f(other), sum_of_y));
    CHECK(number(dot(other, all_reduce<"z">(g))) == expected);
    CHECK(number(dot(other, whole)) == expected);
  }
}

template <class H>
void check_edges() {
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    using S = H;
    CAPTURE(n[0]);
    CAPTURE(n[1]);
    auto const v = integers<O>(m, n, 5);
    check_linear<S>(m, n, [](auto const& u) { return stencil(blur{}, exchange_halo(u)); });
    check_linear<S>(m, n, [](auto const& u) { return stencil(blur{}, inside(1), exchange_halo_async(u)); });
    check_linear<S>(m, n, [](auto const& u) { return stencil(with_index{}, exchange_halo<corners::skipped>(u)); });
    check_linear<S>(m, n, [](auto const& u) { return stencil(cross{}, exchange_halo_async<corners::skipped>(u), u); });
    check_linear<S>(m, n, [&](auto const& u) {  // read by a stencil, and by elementwise operations
      auto const w = exchange_halo(u);
      return stencil(blur{}, w) + 3. * w - v * redistribute<H>(w);
    });
    check_linear<S>(m, n, [](auto const& u) {
      auto const w = stencil(blur{}, exchange_halo(u));
      auto const [a, b] = stencil(both{}, inside(1), exchange_halo_async(bundle(w, u)));
      return 2. * a - b;
    });
    check_linear<S>(m, n, [](auto const& u) { return redistribute<layout<"y", "x">>(3. * exchange_halo(u)); });
    check_linear<O>(m, n, [](auto const& u) { return owned(stencil(blur{}, exchange_halo(redistribute<H>(u)))); });
    check_linear<O>(m, n, [](auto const& u) { return stencil(blur{}, redistribute<fresh<H>>(u)); });
    check_linear<S>(m, n, [&](auto const& u) {  // the field is an operand, and the coefficient
      return stencil(conduct{}, exchange_halo<corners::skipped>(u), v) +
             stencil(conduct{}, exchange_halo<corners::skipped>(redistribute<H>(v)), u);
    });
    check_linear<S>(m, n, [](auto const& u) {  // terms of a sum, and the sum
      auto const w = stencil(blur{}, exchange_halo(as_partial<"z">(u)));
      return as_replicated<"z">(all_reduce<"z">(w)) - u;
    });
  });
}

// The operands of the stencils are terms of a sum, of which some are read at the cell alone.
template <class H>
void check_terms() {
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    using S = H;
    constexpr auto whole = [](auto const& y) { return as_replicated<"z">(all_reduce<"z">(y)); };
    auto const other = as_partial<"z">(integers<O>(m, n, 6));
    check_linear<S>(m, n, [&](auto const& u) {
      auto const w = as_partial<"z">(u);
      return whole(stencil(cross{}, exchange_halo_async<corners::skipped>(w), w));
    });
    for (int distance : {0, 1}) {
      check_linear<S>(m, n, [&](auto const& u) {
        auto const w = as_partial<"z">(u);
        return whole(stencil(at_the_cell{}, inside(distance), w, 2. * w));
      });
      check_linear<S>(m, n, [&](auto const& u) {
        auto const w = as_partial<"z">(u);
        return whole(stencil(at_the_cell{}, inside(distance), exchange_halo(w), owned(w)));
      });
      check_linear<O>(m, n, [&](auto const& u) {
        auto const w = as_partial<"z">(u);
        return whole(stencil(at_the_cell{}, inside(distance), w, 2. * w) + w);
      });
    }
    // The first operand does not depend on the parameter.
    auto const x = integers<S>(m, n, 1), y = integers<S>(m, n, 2), weight = integers<S>(m, n, 77);
    auto const f = [&](auto const& v) { return dot(whole(stencil(at_the_cell{}, other, as_partial<"z">(v))), weight); };
    auto const [value, g] = value_and_grad<none>([&](auto const& v) {
      return dot(all_reduce<"z">(stencil(at_the_cell{}, other, as_partial<"z">(v))), weight);
    })(x);
    CHECK(number(value) == number(f(x)));
    CHECK(number(f(y)) - number(value) == number(dot(g, y - x)));
  });
}

}  // namespace

TEST_CASE("stencil: cotangents of terms that are read at the cell alone") {
  check_terms<layout<halo("y", 1), halo("x", 1, 2)>>();
  check_terms<layout<halo("y", 1, boundary::periodic), halo("x", 2, boundary::odd)>>();
}

TEST_CASE("halo: cotangents of fields that are replicated over an axis are terms of a sum") {
  check_edges<layout<halo("y", 1), halo("x", 1, 2)>>();
  check_edges<layout<halo("y", 1, 2, boundary::mirror), halo("x", 1, 2, boundary::periodic)>>();
  check_edges<layout<halo("y", 2, boundary::odd), halo("x", 2, boundary::copy)>>();
}
