// Stencils of fields with components beside a coefficient that has none, as loops over the whole arrays, in integers.
#include <ashlar/autodiff/autodiff.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include <algorithm>
#include <array>
#include <functional>
#include "support/halo_meshes.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;
using extents = std::array<index_t, 2>;
using field = layout<halo("y", 1, boundary::periodic), halo("x", 1, boundary::periodic), none>;
using conductivity = layout<halo("y", 1, boundary::mirror), halo("x", 1, 2, boundary::copy)>;
using plain = layout<"y", "x">;

template <class F>
void for_each_grid(F const& f) {
  for (auto const& sizes : test::halo_meshes())
    for (extents const& n : {extents{9, 12}, {3, 2}, {1, 17}, {0, 4}}) {
      CAPTURE(n[0]);
      CAPTURE(n[1]);
      f(device_mesh<grid>(MPI_COMM_WORLD, {sizes[0], sizes[1]}), n);
    }
}

template <int Seed>
struct number {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j, index_t c = 9) const {
    return static_cast<double>((Seed * 7 + 5 * i + 3 * j + 4 * c + i * j) % 11 - 5);
  }
};
struct number_of_cell {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return number<2>{}(i, j); }
};
struct other_number_of_cell {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return number<4>{}(i, j); }
};
template <class X>
bool equal(X const& x, std::function<double(index_t, index_t, index_t)> const& expected) {
  auto const all = gather_all(owned(x));
  std::size_t at = 0;
  for (index_t i = 0; i < x.extent(0); ++i)
    for (index_t j = 0; j < x.extent(1); ++j)
      for (index_t c = 0; c < x.extent(2); ++c)
        if (all[at++] != expected(i, j, c)) return false;
  return true;
}
constexpr auto dot = [](auto const& x, auto const& y) { return all_reduce(sum(x * y)); };
double value_of(auto const& x) { return item(x); }

// [diffusion]
// Each component diffuses. k(i, j) is the conductivity of the cell, which all components share.
struct diffusion {
  static constexpr auto reach = reaches(star(1, 1), star(1, 1));
  static constexpr linearity kind = linearity::multilinear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& k) const {
    auto const flow = [&](int i, int j) { return (k(0, 0) + k(i, j)) * (u(i, j) - u(0, 0)); };
    return flow(-1, 0) + flow(1, 0) + flow(0, -1) + flow(0, 1);
  }
};
// [diffusion]
// All components at once.
struct turning_diffusion {
  static constexpr auto reach = reaches(star(1, 1), star(1, 1));
  static constexpr linearity kind = linearity::multilinear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& k) const {
    return Kokkos::Array<double, 3>{
        {k(0, 1) * u(-1, 0, 1), k(0, 0) * u(0, 0, 2) - 2 * k(-1, 0) * u(0, 1, 0), k(1, 0) * u(0, -1, 1)}};
  }
};
struct at_the_cell {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::multilinear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& k) const {
    return k(0, 0) * (u(1, 0) - 2 * u(0, -1));
  }
};
struct all_at_the_cell {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::multilinear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& k) const {
    return Kokkos::Array<double, 3>{{k(0, 0) * u(1, 0, 2), 3 * k(0, 0) * u(0, 0, 1), k(0, 0) * u(0, 1, 0)}};
  }
};
// The same with the derivative that the program states.
struct with_slope {
  static constexpr auto reach = star(1, 1);
  using all = Kokkos::Array<double, 3>;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& k) const { return all_at_the_cell{}(u, k); }
  template <int I>
  ASHLAR_FUNCTION constexpr auto slope(cell_index<3> const& o, auto const& u, auto const& k) const {
    if constexpr (I == 1) return all{{u(1, 0, 2), 3 * u(0, 0, 1), u(0, 1, 0)}};
    all d{};
    if (o[0] == 1 && o[2] == 2) d[0] = k(0, 0);
    if (o[0] == 0 && o[1] == 0 && o[2] == 1) d[1] = 3 * k(0, 0);
    if (o[1] == 1 && o[2] == 0) d[2] = k(0, 0);
    return d;
  }
};
struct two_results {
  static constexpr auto reach = reaches(star(1, 1), star(1, 1));
  static constexpr linearity kind = linearity::multilinear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& k) const {
    return several(k(1, 0) * u(0, 1), k(0, 0) * u(-1, 0) - k(0, -1) * u(0, 0));
  }
};

// The elements of u and of k, beyond the domain, too.
struct whole {
  extents n;
  double u(index_t i, index_t j, index_t c) const {
    return number<1>{}((i + n[0]) % n[0], (j + n[1]) % n[1], (c + 3) % 3);
  }
  double k(index_t i, index_t j) const {
    return number<2>{}(std::clamp<index_t>(i, 0, n[0] - 1), std::clamp<index_t>(j, 0, n[1] - 1));
  }
};

}  // namespace

TEST_CASE("stencil: a coefficient without components, as loops") {
  for_each_grid([](auto const& m, extents const& n) {
    auto const u = generate<double, field>(m, {n[0], n[1], 3}, number<1>{});
    auto const k = generate<double, conductivity>(m, {n[0], n[1]}, number_of_cell{});
    auto const of_cells = generate<double, plain>(m, {n[0], n[1]}, number_of_cell{});
    whole const w{n};
    auto const diffused = [&](index_t i, index_t j, index_t c) {
      double sum = 0;
      for (auto const& [a, b] : {extents{-1, 0}, {1, 0}, {0, -1}, {0, 1}})
        sum += (w.k(i, j) + w.k(i + a, j + b)) * (w.u(i + a, j + b, c) - w.u(i, j, c));
      return sum;
    };
    auto const turned = [&](index_t i, index_t j, index_t c) {
      if (c == 0) return w.k(i, j + 1) * w.u(i - 1, j, 1);
      if (c == 1) return w.k(i, j) * w.u(i, j, 2) - 2 * w.k(i - 1, j) * w.u(i, j + 1, 0);
      return w.k(i + 1, j) * w.u(i, j - 1, 1);
    };
    auto const here = [&](index_t i, index_t j, index_t c) {
      return w.k(i, j) * (w.u(i + 1, j, c) - 2 * w.u(i, j - 1, c));
    };
    auto const filled = exchange_halo<corners::skipped>(k);
    auto const y = stencil(diffusion{}, exchange_halo(u), filled);
    static_assert(std::is_same_v<layout_t<decltype(y)>, field>);
    CHECK(equal(y, diffused));
    CHECK(equal(stencil(diffusion{}, exchange_halo_async<corners::skipped>(u), filled), diffused));
    CHECK(equal(stencil(diffusion{}, exchange_halo_async(bundle(u, k))), diffused));
    CHECK(equal(stencil(turning_diffusion{}, exchange_halo_async<corners::skipped>(u), filled), turned));
    CHECK(equal(stencil(at_the_cell{}, exchange_halo(u), k), here));
    CHECK(equal(stencil(at_the_cell{}, exchange_halo(u), of_cells), here));
    CHECK(equal(stencil(turning_diffusion{}, inside(1), exchange_halo_async(u), filled),
                [&](index_t i, index_t j, index_t c) {
                  bool const outside = i < 1 || j < 1 || i >= n[0] - 1 || j >= n[1] - 1;
                  return outside ? w.u(i, j, c) : turned(i, j, c);
                }));
    auto const [q, s] = stencil_and_reduce(
        diffusion{}, [](auto const& z) { return sum(z * z); }, exchange_halo_async(u), filled);
    CHECK(equal(q, diffused));
    CHECK(value_of(all_reduce(s)) == value_of(dot(y, y)));
    auto const [a, b] = stencil(two_results{}, exchange_halo(u), filled);
    CHECK(equal(a, [&](index_t i, index_t j, index_t c) { return w.k(i + 1, j) * w.u(i, j + 1, c); }));
    CHECK(equal(b, [&](index_t i, index_t j, index_t c) {
      return w.k(i, j) * w.u(i - 1, j, c) - w.k(i, j - 1) * w.u(i, j, c);
    }));
    using still = layout<halo("y", 1), halo("x", 1), none>;
    auto v = generate<double, still>(m, {n[0], n[1], 3}, number<1>{});
    update(diffusion{}, colour(1, 2), v, filled);
    CHECK(equal(v, [&](index_t i, index_t j, index_t c) {
      if ((i + j) % 2 == 0) return w.u(i, j, c);
      double sum = 0;
      for (auto const& [p, r] : {extents{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
        bool const beyond = i + p < 0 || j + r < 0 || i + p >= n[0] || j + r >= n[1];
        sum += (w.k(i, j) + w.k(i + p, j + r)) * ((beyond ? 0 : w.u(i + p, j + r, c)) - w.u(i, j, c));
      }
      return sum;
    }));
    auto const longer = generate<double, conductivity>(m, {n[0] + 1, n[1]}, number_of_cell{});
    CHECK_THROWS_WITH_AS((void)stencil(diffusion{}, exchange_halo(u), exchange_halo(longer)),
                         doctest::Contains("ashlar::stencil: the operands have the same extents"), error);
  });
}

TEST_CASE("stencil: derivatives with respect to a coefficient, in integers") {
  for_each_grid([](auto const& m, extents const& n) {
    auto const u = generate<double, field>(m, {n[0], n[1], 3}, number<1>{});
    auto const other_u = generate<double, field>(m, {n[0], n[1], 3}, number<5>{});
    auto const y = generate<double, layout<"y", "x", none>>(m, {n[0], n[1], 3}, number<3>{});
    // f is linear in u and in k.
    auto const check = [&]<class K>(K, auto const& f) {
      auto const k = generate<double, K>(m, {n[0], n[1]}, number_of_cell{});
      auto const other_k = generate<double, K>(m, {n[0], n[1]}, other_number_of_cell{});
      auto const loss = [&](auto const& p) { return dot(f(std::get<0>(p), std::get<1>(p)), y); };
      auto const [value, g] = value_and_grad<none>(loss)(std::tuple(u, k));
      auto const& [g_u, g_k] = g;
      static_assert(std::is_same_v<layout_t<decltype(g_u)>, field> && std::is_same_v<layout_t<decltype(g_k)>, K>);
      CHECK(value_of(value) == value_of(dot(u, g_u)));
      CHECK(value_of(value) == value_of(dot(k, g_k)));
      CHECK(value_of(loss(std::tuple(other_u, k))) == value_of(dot(other_u, g_u)));
      CHECK(value_of(loss(std::tuple(u, other_k))) == value_of(dot(other_k, g_k)));
      auto const alone = value_and_grad<none>([&](auto const& c) { return dot(f(u, c), y); })(k);
      CHECK(gather_all(alone.gradients) == gather_all(g_k));
    };
    auto const of = [](auto const& functor) {
      return [functor](auto const& v, auto const& k) {
        return stencil(functor, exchange_halo_async<corners::skipped>(v), exchange_halo<corners::skipped>(k));
      };
    };
    using S = conductivity;
    check(S{}, of(diffusion{}));
    check(S{}, of(turning_diffusion{}));
    check(S{}, [](auto const& v, auto const& k) {
      return stencil(diffusion{}, exchange_halo_async<corners::skipped>(bundle(v, k)));
    });
    check(S{}, [](auto const& v, auto const& k) { return stencil(at_the_cell{}, exchange_halo(v), k); });
    check(plain{}, [](auto const& v, auto const& k) { return stencil(at_the_cell{}, exchange_halo(v), k); });
    check(plain{}, [](auto const& v, auto const& k) { return stencil(all_at_the_cell{}, exchange_halo(v), k); });
    check(S{}, [](auto const& v, auto const& k) { return stencil(with_slope{}, exchange_halo(v), k); });
    check(S{}, [](auto const& v, auto const& k) {
      auto const filled = exchange_halo(k);  // two functors read it
      return stencil(diffusion{}, exchange_halo(v), filled) + 2. * stencil(with_slope{}, exchange_halo(v), filled);
    });
    check(S{}, [](auto const& v, auto const& k) {
      auto const [a, b] = stencil(two_results{}, exchange_halo(v), exchange_halo(k));
      return 2. * a - b;
    });
  });
}

TEST_CASE("stencil: a coefficient of components that an axis shards has terms of a sum as cotangent") {
  for_each_grid([](auto const& m, extents const& n) {
    using H = layout<halo("y", 1), halo(none, 1), "x">;
    using K = layout<halo("y", 1), halo(none, 1)>;
    auto const u = generate<double, H>(m, {n[0], n[1], 5}, number<1>{});
    auto const y = generate<double, owned_layout_t<H>>(m, {n[0], n[1], 5}, number<3>{});
    auto const k = generate<double, K>(m, {n[0], n[1]}, number_of_cell{});
    auto const other = generate<double, K>(m, {n[0], n[1]}, other_number_of_cell{});
    auto const loss = [&](auto const& c) { return dot(stencil(diffusion{}, exchange_halo(u), exchange_halo(c)), y); };
    auto const [value, g] = value_and_grad<"x">(loss)(k);
    static_assert(std::is_same_v<layout_t<decltype(g)>, partial<K, "x">>);
    auto const all = all_reduce(g);
    CHECK(value_of(value) == value_of(dot(k, all)));
    CHECK(value_of(loss(other)) == value_of(dot(other, all)));
    auto const whole_loss = [&](auto const& c) { return loss(as_replicated<"x">(c)); };
    CHECK(gather_all(value_and_grad<none>(whole_loss)(k).gradients) == gather_all(all));
  });
}
