// labels: sanitizers
// Stencils of fields with components, as loops over the whole arrays.
#include <ashlar/autodiff/autodiff.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include <array>
#include <cmath>
#include <functional>
#include "support/halo_meshes.hpp"
#include "support/host_memory.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;
using extents = std::array<index_t, 2>;
// [field]
using field = layout<halo("y", 1, boundary::periodic), halo("x", 1, boundary::periodic), none>;
// [field]
using roomy = layout<halo("y", 1), halo("x", 2), halo(none, 1)>;  // the components have room of their own
using tensors = layout<halo("y", 1, boundary::mirror), halo("x", 1, boundary::periodic), none, none>;

template <class F>
void for_each_grid(F const& f) {
  for (auto const& sizes : test::halo_meshes())
    for (extents const& n : {extents{9, 12}, {3, 2}, {1, 17}, {0, 4}})
      f(device_mesh<grid>(MPI_COMM_WORLD, {sizes[0], sizes[1]}), n);
}

template <int Seed>
struct number {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j, index_t c) const {
    return static_cast<double>((Seed * 7 + 5 * i + 3 * j + 4 * c + i * j) % 11 - 5);
  }
  ASHLAR_FUNCTION double operator()(index_t i, index_t j, index_t a, index_t b) const {
    return (*this)(i, j, 3 * a + 2 * b);
  }
};
template <class X>
bool equal(X const& x, std::function<double(index_t, index_t, index_t)> const& expected) {
  auto const all = gather_all(owned(x));
  index_t const rows = x.extent(0), columns = x.extent(1);
  index_t const components = rows * columns == 0 ? 0 : x.extents().size() / (rows * columns);
  std::size_t at = 0;
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < columns; ++j)
      for (index_t c = 0; c < components; ++c)
        if (all[at++] != expected(i, j, c)) return false;
  return true;
}
constexpr auto dot = [](auto const& x, auto const& y) { return all_reduce(sum(x * y)); };
double value_of(auto const& x) { return item(x); }

// [elasticity]
// Forces in a plate: u(i, j, 0) and u(i, j, 1) are the displacements in y and x.
struct elasticity {
  static constexpr auto reach = box(1, 1);
  static constexpr linearity kind = linearity::linear;
  double lambda = 3, mu = 2;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    auto const along_y = [&](int c) { return u(-1, 0, c) - 2 * u(0, 0, c) + u(1, 0, c); };
    auto const along_x = [&](int c) { return u(0, -1, c) - 2 * u(0, 0, c) + u(0, 1, c); };
    auto const mixed = [&](int c) { return (u(1, 1, c) - u(1, -1, c) - u(-1, 1, c) + u(-1, -1, c)) / 4; };
    return Kokkos::Array<double, 2>{{(lambda + 2 * mu) * along_y(0) + mu * along_x(0) + (lambda + mu) * mixed(1),
                                     mu * along_y(1) + (lambda + 2 * mu) * along_x(1) + (lambda + mu) * mixed(0)}};
  }
};
// [elasticity]

// One component at a time. It reads its own, the one before it and the one after it, in turn.
struct turn {
  static constexpr auto reach = star(1, 1);
  ASHLAR_FUNCTION constexpr double operator()(cell_index<3> const& at, auto const& u) const {
    auto const c = at[2];
    return u(0, 0) + 2 * u(-1, 0, (c + 1) % 3) - u(0, 1, (c + 2) % 3) + static_cast<double>(at[0]);
  }
};
// The same for all components of a cell, as std::array. It has a state, so no compiler runs it.
struct turn_all {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::linear;
  double one = 1;
  ASHLAR_FUNCTION auto operator()(auto const& u) const {
    std::array<double, 3> all{};
    for (std::size_t c = 0; c < 3; ++c) all[c] = one * u(0, 0, c) + 2 * u(-1, 0, (c + 1) % 3) - u(0, 1, (c + 2) % 3);
    return all;
  }
};
struct own {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const { return u(-1, 0) + 3 * u(0, 1) - 2 * u(0, 0); }
};
// Two results of all components, with the index of the cell.
struct two {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::linear;
  using all = Kokkos::Array<double, 3>;
  ASHLAR_FUNCTION constexpr auto operator()(cell_index<3> const& at, auto const& u, auto const& v) const {
    auto const s = static_cast<double>(at[0] + 2 * at[1]);
    return several(all{{u(1, 0, 2) + s * v(0, 0, 1), v(0, 0, 0), u(0, -1, 0)}},
                   all{{v(0, 0, 2) - u(0, 0, 1), s * u(0, 1, 1), 2 * v(0, 0, 1)}});
  }
};
struct two_without_index {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& v) const {
    return two{}(cell_index<3>{{1, 2, 0}}, u, v);
  }
};
// The transpose of the tensor of each cell, plus its neighbour.
struct transposed {
  static constexpr auto reach = star(0, 1);
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    Kokkos::Array<double, 6> all{};
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 3; ++b) {
        int const flat = 3 * a + b;
        all[static_cast<std::size_t>(flat)] = u(0, 1, flat % 2, flat / 2) + 2 * u(0, 0, a, b);
      }
    return all;
  }
};
// A product of two components, and of a component with a further operand's.
struct product_of {
  static constexpr auto reach = star(1, 0);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& v) const {
    return Kokkos::Array<double, 2>{{u(0, 0, 0) * u(1, 0, 1), u(-1, 0, 0) * v(0, 0, 0) * v(0, 0, 1)}};
  }
  template <int I>
  ASHLAR_FUNCTION constexpr auto slope(cell_index<3> const& offset, auto const& u, auto const& v) const {
    Kokkos::Array<double, 2> d{};
    auto const c = offset[2];
    if (I == 0 && offset[0] == 0 && c == 0) d[0] = u(1, 0, 1);
    if (I == 0 && offset[0] == 1 && c == 1) d[0] = u(0, 0, 0);
    if (I == 0 && offset[0] == -1 && c == 0) d[1] = v(0, 0, 0) * v(0, 0, 1);
    if (I == 1) d[1] = u(-1, 0, 0) * v(0, 0, 1 - c);
    return d;
  }
};

}  // namespace

TEST_CASE("stencil: components of one field, one result and all") {
  for_each_grid([](auto const& m, extents const& n) {
    auto const u = generate<double, field>(m, {n[0], n[1], 3}, number<1>{});
    auto const at = [&n](index_t i, index_t j, index_t c) {
      return number<1>{}((i + n[0]) % n[0], (j + n[1]) % n[1], c % 3);
    };
    auto const turned = [&](index_t i, index_t j, index_t c) {
      return at(i, j, c) + 2 * at(i - 1, j, c + 1) - at(i, j + 1, c + 2);
    };
    auto const with_index = [&](index_t i, index_t j, index_t c) { return turned(i, j, c) + static_cast<double>(i); };
    CHECK(equal(stencil(turn{}, exchange_halo(u)), with_index));
    CHECK(equal(stencil(turn{}, exchange_halo_async<corners::skipped>(u)), with_index));
    auto const all = stencil(turn_all{}, exchange_halo_async<corners::skipped>(u));
    static_assert(std::is_same_v<layout_t<decltype(all)>, field>);
    CHECK(equal(all, turned));
    CHECK(equal(stencil(own{}, exchange_halo(u)), [&](index_t i, index_t j, index_t c) {
      return at(i - 1, j, c) + 3 * at(i, j + 1, c) - 2 * at(i, j, c);
    }));
    auto const boxed = [&](index_t i, index_t j, index_t c) {
      bool const outside = i < 1 || j < 1 || i >= n[0] - 1 || j >= n[1] - 1;
      return outside ? at(i, j, c) : turned(i, j, c);
    };
    CHECK(equal(stencil(turn_all{}, inside(1), exchange_halo(u)), boxed));
    CHECK(equal(stencil(turn_all{}, inside(1), exchange_halo_async(u)), boxed));
    auto const twice = stencil(turn_all{}, exchange_halo(stencil(own{}, exchange_halo(u))));
    using wide = layout<halo("y", 2, boundary::periodic), halo("x", 2, boundary::periodic), none>;
    auto const wider = generate<double, wide>(m, {n[0], n[1], 3}, number<1>{});
    CHECK(gather_all(owned(twice)) == gather_all(owned(stencil(compose(turn_all{}, own{}), exchange_halo(wider)))));
    auto const [q, s] = stencil_and_reduce(
        turn_all{}, [](auto const& y) { return sum(y * y); }, exchange_halo_async(u));
    CHECK(equal(q, turned));
    CHECK(value_of(all_reduce(s)) == value_of(dot(all, all)));
    auto const v = generate<double, field>(m, {n[0], n[1], 3}, number<2>{});
    auto const [a, b] = stencil(two{}, exchange_halo(u), v);
    auto const index = [](index_t i, index_t j) { return static_cast<double>(i + 2 * j); };
    number<2> const w;
    CHECK(equal(a, [&](index_t i, index_t j, index_t c) {
      return c == 0 ? at(i + 1, j, 2) + index(i, j) * w(i, j, 1) : c == 1 ? w(i, j, 0) : at(i, j - 1, 0);
    }));
    CHECK(equal(b, [&](index_t i, index_t j, index_t c) {
      return c == 0 ? w(i, j, 2) - at(i, j, 1) : c == 1 ? index(i, j) * at(i, j + 1, 1) : 2 * w(i, j, 1);
    }));
  });
}

TEST_CASE("stencil: components that have room, and tensors per cell") {
  for_each_grid([](auto const& m, extents const& n) {
    auto const u = generate<double, roomy>(m, {n[0], n[1], 3}, number<1>{});
    auto const at = [&n](index_t i, index_t j, index_t c) {
      return i < 0 || j < 0 || i >= n[0] || j >= n[1] ? 0 : number<1>{}(i, j, c % 3);
    };
    CHECK(equal(stencil(turn_all{}, exchange_halo_async(u)), [&](index_t i, index_t j, index_t c) {
      return at(i, j, c) + 2 * at(i - 1, j, c + 1) - at(i, j + 1, c + 2);
    }));
    auto const t = generate<double, tensors>(m, {n[0], n[1], 2, 3}, number<1>{});
    auto const of = [](index_t i, index_t j, index_t a, index_t b) { return number<1>{}(i, j, a, b); };
    CHECK(equal(stencil(transposed{}, exchange_halo(t)), [&](index_t i, index_t j, index_t c) {
      return of(i, (j + 1) % n[1], c % 2, c / 2) + 2 * of(i, j, c / 3, c % 3);
    }));
  });
}

TEST_CASE("stencil: an update in place of all components of a colour") {
  for_each_grid([](auto const& m, extents const& n) {
    using plain = layout<halo("y", 1), halo("x", 1), none>;
    auto u = generate<double, plain>(m, {n[0], n[1], 3}, number<1>{});
    auto const at = [&n](index_t i, index_t j, index_t c) {
      return i < 0 || j < 0 || i >= n[0] || j >= n[1] ? 0 : number<1>{}(i, j, c % 3);
    };
    update(turn_all{}, colour(1, 2), u);
    CHECK(equal(u, [&](index_t i, index_t j, index_t c) {
      return (i + j) % 2 == 0 ? at(i, j, c) : at(i, j, c) + 2 * at(i - 1, j, c + 1) - at(i, j + 1, c + 2);
    }));
  });
}

TEST_CASE("stencil: an update of one component at a time has the colours of the cells") {
  for_each_grid([](auto const& m, extents const& n) {
    using plain = layout<halo("y", 1), halo("x", 1), none>;
    auto u = generate<double, plain>(m, {n[0], n[1], 3}, number<1>{});
    auto const at = [&n](index_t i, index_t j, index_t c) {
      return i < 0 || j < 0 || i >= n[0] || j >= n[1] ? 0 : number<1>{}(i, j, c);
    };
    update(own{}, colour(1, 2), u);
    CHECK(equal(u, [&](index_t i, index_t j, index_t c) {
      return (i + j) % 2 == 0 ? at(i, j, c) : at(i - 1, j, c) + 3 * at(i, j + 1, c) - 2 * at(i, j, c);
    }));
  });
}

TEST_CASE("stencil: an array has an element for each component") {
  for_each_grid([](auto const& m, extents const& n) {
    auto const u = generate<double, field>(m, {n[0], n[1], 2}, number<1>{});
    CHECK_THROWS_WITH_AS(
        (void)stencil(turn_all{}, exchange_halo(u)),
        doctest::Contains("ashlar::stencil: return an array of one element for each component; found ("), error);
  });
}

TEST_CASE("stencil: derivatives by components are transposes, in integers") {
  for_each_grid([](auto const& m, extents const& n) {
    auto const check = [&]<class S>(S, auto const& f, auto const&... count) {
      auto const x = generate<double, S>(m, {n[0], n[1], count...}, number<1>{});
      auto const other = generate<double, S>(m, {n[0], n[1], count...}, number<5>{});
      auto const y = generate<double, owned_layout_t<S>>(m, {n[0], n[1], count...}, number<3>{});
      auto const [value, g] = value_and_grad<none>([&](auto const& u) { return dot(f(u), y); })(x);
      static_assert(std::is_same_v<layout_t<decltype(g)>, S>);
      CHECK(value_of(value) == value_of(dot(x, g)));
      CHECK(value_of(dot(f(other), y)) == value_of(dot(other, g)));
    };
    using S = field;
    check(
        S{}, [](auto const& u) { return stencil(own{}, exchange_halo(u)); }, 3);
    check(
        S{}, [](auto const& u) { return stencil(turn_all{}, exchange_halo<corners::skipped>(u)); }, 3);
    check(
        S{}, [](auto const& u) { return stencil(turn_all{}, exchange_halo_async(u)); }, 3);
    check(
        S{}, [](auto const& u) { return stencil(turn_all{}, inside(1), exchange_halo_async(u)); }, 3);
    check(
        roomy{}, [](auto const& u) { return stencil(turn_all{}, inside(1), exchange_halo(u)); }, 3);
    check(
        tensors{}, [](auto const& u) { return stencil(transposed{}, exchange_halo(u)); }, 2, 3);
    check(
        S{}, [](auto const& u) { return 4. * stencil(elasticity{}, exchange_halo(u)); }, 2);
    for (int distance : {0, 1})
      check(
          S{},
          [&](auto const& u) {
            auto const [a, b] = stencil(two_without_index{}, inside(distance), exchange_halo(u), u);
            return 2. * a - b;
          },
          3);
  });
}

TEST_CASE("stencil: the derivative of a product of components equals a difference quotient") {
  for_each_grid([](auto const& m, extents const& n) {
    using S = field;
    auto const u = generate<double, S>(m, {n[0], n[1], 2}, number<1>{});
    auto const v = generate<double, S>(m, {n[0], n[1], 2}, number<2>{});
    auto const d = generate<double, S>(m, {n[0], n[1], 2}, number<3>{});
    auto const e = generate<double, S>(m, {n[0], n[1], 2}, number<4>{});
    for (int distance : {0, 1}) {
      auto const loss = [&](auto const& p) {
        auto const y = stencil(product_of{}, inside(distance), exchange_halo(std::get<0>(p)), std::get<1>(p));
        return dot(y, y);
      };
      auto const [value, g] = value_and_grad<none>(loss)(std::tuple(u, v));
      double const h = 1e-5, slope = value_of(dot(std::get<0>(g), d)) + value_of(dot(std::get<1>(g), e));
      auto const at = [&](double t) { return value_of(loss(std::tuple(u + t * d, v + t * e))); };
      double const quotient = (at(h) - at(-h)) / (2 * h);
      CHECK(std::abs(slope - quotient) <= 1e-7 * (1 + std::abs(slope)));
    }
  });
}
