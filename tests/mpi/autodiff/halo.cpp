// Derivatives of exchanges and stencils: <Fx, y> = <x, F*y> in integers, and difference quotients.
#include <ashlar/autodiff/autodiff.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include <array>
#include <cmath>
#include "support/halo_derivatives.hpp"
#include "support/host_memory.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;
using extents = std::array<index_t, 2>;
using test::check_linear_field, test::wave;
using test::dot, test::integers, test::number, test::cross, test::with_index, test::conduct;

template <class F>
void for_each_grid(F const& f) {
  for (auto const& sizes : test::halo_meshes())
    for (extents const& n : {extents{9, 12}, {3, 2}, {1, 17}, {5, 5}})
      f(device_mesh<grid>(MPI_COMM_WORLD, {sizes[0], sizes[1]}), n);
}

struct blur {
  static constexpr auto reach = box(1, {0, 2});
  static constexpr linearity kind = linearity::linear;
  double scale = 1;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return scale * (u(-1, 0) + 2 * u(1, 2) - u(0, 1)) + u(0, 0);
  }
};

template <class H>
void check_edges() {
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    using S = H;
    CAPTURE(n[0]);
    CAPTURE(n[1]);
    auto const v = integers<layout<"y", "x">>(m, n, 5);
    check_linear_field<S>(m, n, [](auto const& u) { return stencil(blur{2}, exchange_halo(u)); });
    check_linear_field<S>(m, n, [](auto const& u) { return stencil(blur{2}, exchange_halo_async(u)); });
    check_linear_field<S>(m, n, [](auto const& u) { return stencil(blur{}, inside(1), exchange_halo(u)); });
    check_linear_field<S>(m, n,
                          [](auto const& u) { return stencil(with_index{}, exchange_halo<corners::skipped>(u)); });
    check_linear_field<S>(m, n,
                          [](auto const& u) { return stencil(cross{}, exchange_halo_async<corners::skipped>(u), u); });
    check_linear_field<S>(m, n, [&](auto const& u) {  // read by a stencil, and by elementwise operations
      auto const w = exchange_halo(u);
      return stencil(blur{2}, w) + 3. * w - v * redistribute<H>(w);
    });
    check_linear_field<S>(m, n, [](auto const& u) {
      auto const w = stencil(blur{2}, exchange_halo(u));
      return stencil(cross{}, exchange_halo<corners::skipped>(w), u);
    });
    check_linear_field<layout<"y", "x">>(
        m, n, [](auto const& u) { return owned(stencil(blur{2}, exchange_halo(redistribute<H>(u)))); });
  });
}

}  // namespace

TEST_CASE("halo: derivatives of linear stencils are transposes, with every boundary") {
  check_edges<layout<halo("y", 1), halo("x", 1, 2)>>();
  check_edges<layout<halo("y", 1, 2, boundary::mirror), halo("x", 1, 2, boundary::periodic)>>();
  check_edges<layout<halo("y", 2, boundary::odd), halo("x", 2, boundary::copy)>>();
  check_edges<layout<halo("y", 1, boundary::reflect), halo("x", 2, boundary::mirror)>>();
}

namespace {
// Given cells are constants: of u + v they are those of u.
template <class H>
void check_given_edges() {
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    using O = owned_layout_t<H>;
    auto const y = integers<O>(m, n, 77), v = integers<O>(m, n, 9);
    auto const u = integers<H>(m, n, 1);
    auto const check = [&](auto const& f) {
      auto const [value, g] = value_and_grad<none>([&](auto const& x) { return dot(f(x), y); })(u);
      CHECK(number(dot(f(u + v), y)) - number(value) == number(dot(v, g)));
    };
    check([](auto const& x) { return stencil(blur{2}, exchange_halo(x)); });
    check([](auto const& x) { return stencil(blur{2}, inside(1), exchange_halo_async(x)); });
    check([](auto const& x) { return stencil(cross{}, exchange_halo<corners::skipped>(x), x); });
    check([](auto const& x) {
      return stencil(cross{}, exchange_halo<corners::skipped>(stencil(blur{2}, exchange_halo(x))), x);
    });
  });
}
}  // namespace

TEST_CASE("halo: derivatives of stencils beyond given boundaries") {
  check_given_edges<layout<halo("y", 1, boundary::given), halo("x", 1, 2, boundary::periodic)>>();
  check_given_edges<
      layout<halo("y", 1, boundary::given, boundary::copy), halo("x", 1, 2, boundary::odd, boundary::given)>>();
}

namespace {
struct source {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::linear;
  double added;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const { return u(-1, 0) - u(0, 1) + added; }
};
}  // namespace

namespace {
// Adds a constant to one cell of the domain.
struct source_at {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::linear;
  index_t row, column;
  template <class U>
  ASHLAR_FUNCTION constexpr double operator()(cell_index<2> const& at, U const& u) const {
    return (1. + static_cast<double>(at[0])) * u(0, 0) + (at[0] == row && at[1] == column ? 1 : 0);
  }
};
struct two_sources {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::linear;
  double added;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const { return several(u(0, 0), u(1, 0) + added); }
};
}  // namespace

TEST_CASE("halo: a functor that is declared linear and adds a constant is an error in builds with assertions") {
  ASHLAR_NEEDS(kernels_detail::reads_are_checked);
  using H = layout<halo("y", 1), halo("x", 1)>;
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    auto const u = exchange_halo<corners::skipped>(integers<H>(m, n, 1));
    auto const gradient = [&](double added) {
      (void)value_and_grad<none>([&](auto const& v) {
        return all_reduce(sum(stencil(source{added}, exchange_halo<corners::skipped>(v))));
      })(redistribute<H>(u));
    };
    auto const sentence = doctest::Contains("ashlar::stencil: the functor's kind is linear, but it does not ");
    gradient(0);
    CHECK_THROWS_WITH_AS(gradient(3), sentence, error);
    // A constant would count once for each term of a partial operand.
    (void)stencil(source{0}, u);
    CHECK_THROWS_WITH_AS((void)stencil(source{3}, u), sentence, error);
    (void)stencil(two_sources{0}, u);
    CHECK_THROWS_WITH_AS((void)stencil(two_sources{3}, u), sentence, error);
    auto const corners_too = exchange_halo(integers<layout<halo("y", 2), halo("x", 2)>>(m, n, 1));
    (void)stencil(compose(source{0}, source{0}), corners_too);
    CHECK_THROWS_WITH_AS((void)stencil(compose(source{0}, source{3}), corners_too), sentence, error);
    // Of a functor that takes its cell's index, the rank that owns the cell learns of it.
    ASHLAR_NEEDS(kernels_detail::runs_in_caller<Kokkos::DefaultExecutionSpace>);
    (void)stencil(source_at{-1, 0}, u);
    index_t const row = n[0] - 1, column = n[1] - 1;
    region const own = u.local_region();
    bool const owns = own.size() > 0 && own.dim[0].end == n[0] && own.dim[1].end == n[1];
    if (owns)
      CHECK_THROWS_WITH_AS((void)stencil(source_at{row, column}, u), sentence, error);
    else
      (void)stencil(source_at{row, column}, u);
    (void)stencil(source_at{row, column}, inside(1), u);  // not computed
  });
}

TEST_CASE("halo: derivatives of stencils of several operands") {
  using H = layout<halo("y", 1, boundary::copy), halo("x", 1, boundary::periodic)>;
  using S = H;
  using O = layout<"y", "x">;
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    auto const y = integers<O>(m, n, 77);
    auto const u = integers<S>(m, n, 1);
    auto const check = [&](auto const& k) {
      for (int distance : {0, 1}) {
        auto const f = [&](auto const& a, auto const& b) {
          return stencil(conduct{}, inside(distance), exchange_halo_async<corners::skipped>(a), b);
        };
        auto const [value, g] = value_and_grad<none>(
            [&](auto const& p) { return dot(f(std::get<0>(p), std::get<1>(p)), y); })(std::tuple(u, k));
        static_assert(std::is_same_v<layout_t<decltype(std::get<1>(g))>, layout_t<decltype(k)>>);
        // Outside the box the result is u, which does not depend on k.
        auto const fixed = stencil(conduct{}, inside(distance), exchange_halo(u), 0. * k);
        CHECK(number(value) == number(dot(u, std::get<0>(g))));
        CHECK(number(value) == number(dot(k, std::get<1>(g))) + number(dot(fixed, y)));
      }
    };
    check(integers<O>(m, n, 3));
    check(integers<S>(m, n, 3));
    check(integers<layout<halo("y", 2), "x">>(m, n, 3));
  });
}

TEST_CASE("halo: the derivative of add_halo is an exchange") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  using H = layout<halo("y", 1, 2, boundary::mirror), halo("x", 2, boundary::periodic)>;
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    auto const y = integers<H>(m, n, 77);
    auto sums = make<double, halo_sums<H>>(m, {n[0], n[1]});
    for (index_t i = 0; i < sums.stored_extents().size(); ++i) sums.stored_data()[i] = static_cast<double>(i % 7 - 3);
    auto const [value, g] = value_and_grad<none>([&](auto const& s) { return dot(add_halo(s + s), y); })(sums);
    static_assert(std::is_same_v<layout_t<decltype(g)>, fresh<H>>);
    auto const expected = exchange_halo(2. * y);
    int wrong = 0;
    for (index_t i = 0; i < expected.stored_extents().size(); ++i)
      wrong += g.stored_data()[i] != expected.stored_data()[i];
    CHECK(wrong == 0);
  });
}

namespace {
// True if the derivative of dot(add_halo<C>(s), y) is the transpose: the sum over all stored cells of s times it.
template <class H, corners C>
void check_sums() {
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    auto const y = integers<H>(m, n, 77);
    auto sums = make<double, halo_sums<H>>(m, {n[0], n[1]});
    auto const [value, g] = value_and_grad<none>([&](auto const& s) { return dot(add_halo<C>(s), y); })(sums);
    for (index_t seed : {1, 5, 9}) {
      double sum = 0;
      for (index_t i = 0; i < sums.stored_extents().size(); ++i) {
        sums.stored_data()[i] = static_cast<double>((i * (seed + 6) + m.rank()) % 11 - 5);
        sum += sums.stored_data()[i] * g.stored_data()[i];
      }
      MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      CHECK(number(dot(add_halo<C>(sums), y)) == sum);
    }
  });
}
}  // namespace

TEST_CASE("halo: the derivative of add_halo is its transpose, with dropped corners and given cells too") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  check_sums<layout<halo("y", 1, 2, boundary::mirror), halo("x", 2, boundary::periodic)>, corners::skipped>();
  check_sums<layout<halo("y", 2, boundary::copy), halo("x", 1, boundary::odd)>, corners::skipped>();
  check_sums<layout<halo("y", 1, boundary::given), halo("x", 2, 1, boundary::reflect)>, corners::skipped>();
  check_sums<layout<halo("y", 1, boundary::given, boundary::copy), halo("x", 2, 1, boundary::zero, boundary::given)>,
             corners::filled>();
  check_sums<layout<halo("y", 1, boundary::mirror, boundary::zero), halo("x", 1, boundary::given, boundary::odd)>,
             corners::skipped>();
}

TEST_CASE("halo: derivatives do not write the given cells of the caller's cotangent") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  using H = layout<halo("y", 1, boundary::given), halo("x", 1, boundary::periodic)>;
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    auto const ct = integers<H>(m, n, 3);
    (void)vjp<none>([](auto const& s) { return add_halo(s); })(ct, make<double, halo_sums<H>>(m, {n[0], n[1]}));
    if (ct.local_region().size() == 0) return;
    auto const cells = ct.offset_view();
    int wrong = 0;
    for (auto i = cells.begin(0); i < cells.end(0); ++i)
      for (auto j = cells.begin(1); j < cells.end(1); ++j)
        if (i < 0 || i >= n[0]) wrong += cells(i, j) != test::any_integer{3}(i, (j + n[1]) % n[1]);
    CHECK(wrong == 0);
  });
}

namespace {
struct twice {
  static constexpr auto reach = centre;
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const { return 2 * u(0, 0); }
};
}  // namespace

TEST_CASE("halo: a functor that reads the centre alone keeps the cells outside of a box") {
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    using S = layout<halo("y", 1), halo("x", 1)>;
    auto const u = integers<S>(m, n, 3);
    auto const before = gather_all(owned(u)), after = gather_all(owned(stencil(twice{}, inside(1), u)));
    int wrong = 0;
    for (index_t i = 0; i < n[0]; ++i)
      for (index_t j = 0; j < n[1]; ++j) {
        bool const computed = i > 0 && j > 0 && i + 1 < n[0] && j + 1 < n[1];
        auto const at = static_cast<std::size_t>(i * n[1] + j);
        wrong += after[at] != (computed ? 2 : 1) * before[at];
      }
    CHECK(wrong == 0);
    check_linear_field<S>(m, n, [](auto const& x) { return stencil(twice{}, inside(1), x); });
  });
}

namespace {

// Burgers' equation: u_t = -u u_x + nu laplace(u).
struct burgers {
  static constexpr auto reach = star(1, 1);
  double dt = 0.1, nu = 0.3;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return u(0, 0) +
           dt * (nu * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0)) - u(0, 0) * (u(0, 1) - u(0, -1)) / 2);
  }
  // [slope]
  template <int>
  ASHLAR_FUNCTION constexpr double slope(cell_index<2> const& offset, auto const& u) const {
    if (offset[0] != 0) return dt * nu;
    if (offset[1] != 0) return dt * (nu - static_cast<double>(offset[1]) * u(0, 0) / 2);
    return 1 - dt * (4 * nu + (u(0, 1) - u(0, -1)) / 2);
  }
  // [slope]
};

}  // namespace

TEST_CASE("halo: the derivative of three steps of a nonlinear stencil equals a difference quotient") {
  using S = layout<halo("y", 1, boundary::reflect), halo("x", 1, boundary::periodic)>;
  for_each_grid([](device_mesh<grid> const& m, extents const& n) {
    auto const u = generate<double, S>(m, {n[0], n[1]}, wave{1.3, 0.7});
    auto const direction = generate<double, S>(m, {n[0], n[1]}, wave{0.4, 2.1});
    auto const loss = [](auto const& start) {
      auto const a = stencil(burgers{}, exchange_halo_async<corners::skipped>(start));
      auto const b = stencil(burgers{}, exchange_halo_async<corners::skipped>(a));
      auto const c = stencil(burgers{}, inside(1), exchange_halo<corners::skipped>(b));
      return dot(c, c);
    };
    test::check_smooth_loss(loss, u, direction);
  });
}
