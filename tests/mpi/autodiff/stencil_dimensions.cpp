// Derivatives of stencils in one and three dimensions, with reaches up to 5 cells and extents near the number of ranks:
// <Fx, y> = <x, F*y> in integers. slope with the index of the cell: a difference quotient. Five operands.
#include <ashlar/autodiff/autodiff.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include <array>
#include "support/halo_derivatives.hpp"

using namespace ashlar;

namespace {

using test::dot, test::integers, test::number, test::wave;

struct line {
  static constexpr auto reach = star({2, 5});
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(cell_index<1> const& at, auto const& u) const {
    return static_cast<double>(at[0] + 1) * u(-2) + 2 * u(5) - 3 * u(1) + u(0);
  }
};
// Each dimension has a reach of its own, and a corner is read.
struct block {
  static constexpr auto reach = box({1, 2}, {2, 1}, {3, 0});
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return u(-1, -2, -3) + 2 * u(2, 0, 0) - 3 * u(0, 1, 0) + 5 * u(0, 0, -3) - u(0, 0, 0) + 7 * u(2, 1, -1);
  }
};

template <class F, class H, class M, std::size_t N>
void check_transpose(device_mesh<M> const& m, std::array<index_t, N> const& n) {
  CAPTURE(n[0]);
  test::check_linear_field<H>(m, n, [](auto const& u) { return stencil(F{}, exchange_halo_async(u)); });
}
template <class H>
void check_lines() {
  device_mesh<mesh<axis<"y">>> const m(MPI_COMM_WORLD);
  index_t const p = m.size();
  for (index_t n : {index_t{0}, index_t{1}, p - 1, p, p + 1, index_t{23}})
    check_transpose<line, H>(m, std::array<index_t, 1>{n});
}
template <class H>
void check_blocks() {
  index_t const p = testing::ranks();
  for (auto const& sizes : test::halo_meshes_3())
    for (std::array<index_t, 3> const& n :
         {std::array<index_t, 3>{5, 7, 6}, {p - 1, p, p + 1}, {p + 1, p - 1, p}, {2, 1, 3}, {0, 4, 4}})
      check_transpose<block, H>(device_mesh<test::halo_grid_3>(MPI_COMM_WORLD, {sizes[0], sizes[1], sizes[2]}), n);
}

// The flux of a height that falls along the first dimension, which the functor knows by the index of its cell.
struct steeper {
  static constexpr auto reach = star(1, 1);
  ASHLAR_FUNCTION static double height(cell_index<2> const& at) { return 0.1 * static_cast<double>(at[0] + 1); }
  ASHLAR_FUNCTION constexpr double operator()(cell_index<2> const& at, auto const& u) const {
    return height(at) * u(0, 0) * u(0, 1) + u(-1, 0) * u(-1, 0);
  }
  template <int>
  ASHLAR_FUNCTION constexpr double slope(cell_index<2> const& offset, cell_index<2> const& at, auto const& u) const {
    if (offset[0] == -1) return 2 * u(-1, 0);
    if (offset[1] == 1) return height(at) * u(0, 0);
    return offset[0] == 0 && offset[1] == 0 ? height(at) * u(0, 1) : 0;
  }
};
struct of_five {
  static constexpr auto reach = star(0, 1);
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u, auto const& a, auto const& b, auto const& c,
                                            auto const& d) const {
    return u(0, 1) + 2 * a(0, 0) - 3 * b(0, 0) + 5 * c(0, 0) - 7 * d(0, 0);
  }
};

}  // namespace

TEST_CASE("stencil: the derivative is the transpose on lines, with wide reaches") {
  check_lines<layout<halo("y", 2, 5)>>();
  check_lines<layout<halo("y", 2, 5, boundary::periodic)>>();
  check_lines<layout<halo("y", 3, 6, boundary::copy, boundary::mirror)>>();
  check_lines<layout<halo("y", 2, 5, boundary::odd, boundary::reflect)>>();
}

TEST_CASE("stencil: the derivative is the transpose on blocks, over three axes") {
  check_blocks<layout<halo("z", 1, 2), halo("y", 2, 1, boundary::periodic), halo("x", 3, 0, boundary::copy)>>();
  check_blocks<layout<halo("x", 2, boundary::mirror), halo("z", 2, boundary::odd), halo(none, 3, boundary::reflect)>>();
}

TEST_CASE("stencil: a slope that takes the index of its cell is the derivative") {
  using S = layout<halo("y", 1, boundary::copy), halo("x", 1, boundary::periodic)>;
  for (auto const& sizes : test::halo_meshes()) {
    device_mesh<test::halo_grid> const m(MPI_COMM_WORLD, {sizes[0], sizes[1]});
    auto const u = generate<double, S>(m, {9, 12}, wave{1.3, 0.7});
    auto const direction = generate<double, S>(m, {9, 12}, wave{0.4, 2.1});
    auto const loss = [](auto const& x) {
      auto const y = stencil(steeper{}, exchange_halo<corners::skipped>(x));
      return all_reduce(sum(y * y));
    };
    test::check_smooth_loss(loss, u, direction);
  }
}

TEST_CASE("stencil: derivatives with respect to five operands") {
  using S = layout<halo("y", 1, boundary::copy), halo("x", 1, boundary::periodic)>;
  for (auto const& sizes : test::halo_meshes()) {
    device_mesh<test::halo_grid> const m(MPI_COMM_WORLD, {sizes[0], sizes[1]});
    auto const field = [&](index_t seed) { return integers<S>(m, std::array<index_t, 2>{9, 12}, seed); };
    auto const y = field(77);
    auto const loss = [&](auto const& x) {
      auto const& [u, a, b, c, d] = x;
      return dot(stencil(of_five{}, exchange_halo<corners::skipped>(u), a, b, c, d), y);
    };
    auto const x = std::tuple(field(1), field(2), field(3), field(4), field(5));
    auto const [value, gradient] = value_and_grad<none>(loss)(x);
    auto const& [u, a, b, c, d] = gradient;
    CHECK(number(dot(y, 2. * y)) == number(dot(y, a)));
    CHECK(number(dot(y, -7. * y)) == number(dot(y, d)));
    CHECK(number(value) == number(dot(std::get<0>(x), u)) + number(dot(std::get<1>(x), a)) +
                               number(dot(std::get<2>(x), b)) + number(dot(std::get<3>(x), c)) +
                               number(dot(std::get<4>(x), d)));
  }
}
