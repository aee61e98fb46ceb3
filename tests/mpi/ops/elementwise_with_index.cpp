// Functions of elements that take the global index, against loops over whole arrays.
#include <ashlar/autodiff/autodiff.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <doctest/doctest.h>
#include <array>
#include "support/halo_meshes.hpp"
#include "support/mpi_main.hpp"

using namespace ashlar;

namespace {

using grid = test::halo_grid;

template <class F>
void for_each_grid(F const& f) {
  for (auto const& sizes : test::halo_meshes())
    for (auto const& n : {std::array<index_t, 2>{9, 13}, {3, 2}, {1, 17}, {0, 4}, {7, 1}})
      f(device_mesh<grid>(MPI_COMM_WORLD, {sizes[0], sizes[1]}), n);
}
struct number {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const {
    return static_cast<double>((5 * i + 3 * j) % 11 - 5);
  }
};
struct tilted {
  ASHLAR_FUNCTION double operator()(cell_index<2> const& at, double x) const {
    return x + static_cast<double>(100 * at[0] - 7 * at[1]);
  }
};
// A function with a derivative, which takes the index, too.
struct weighted_back {
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION double operator()(cell_index<2> const& at, double ct) const {
    return static_cast<double>(at[0] + 2 * at[1]) * ct;
  }
};
struct weighted {
  static constexpr linearity kind = linearity::linear;
  ASHLAR_FUNCTION double operator()(cell_index<2> const& at, double x) const {
    return static_cast<double>(at[0] + 2 * at[1]) * x;
  }
  template <int I, class Ct, class Y, class X>
  constexpr auto pullback(Ct const& ct, Y const&, X const&) const {
    return elementwise(weighted_back{}, ct);
  }
};

struct product_and_column {
  ASHLAR_FUNCTION double operator()(cell_index<2> const& at, double a, double b) const {
    return a * b + static_cast<double>(at[1]);
  }
};
struct four_and_row {
  template <class At>
  ASHLAR_FUNCTION double operator()(At const& at, double a, double b, double c, double d) const {
    return a + 2 * b + 3 * c + 4 * d + static_cast<double>(at[0]);
  }
};
// [index]
struct positive_on_diagonal {
  ASHLAR_FUNCTION bool operator()(cell_index<2> const& at, double a) const { return at[0] == at[1] && a > 0; }
};
// [index]
struct column_number {
  ASHLAR_FUNCTION double operator()(index_t j) const { return static_cast<double>(j % 3); }
};
struct and_ten_columns {
  ASHLAR_FUNCTION double operator()(cell_index<1> const& at, double a) const {
    return a + static_cast<double>(10 * at[0]);
  }
};
struct sum_and_row {
  ASHLAR_FUNCTION double operator()(cell_index<2> const& at, double a, double b) const {
    return a + b + static_cast<double>(at[0]);
  }
};
struct times_row {
  ASHLAR_FUNCTION double operator()(cell_index<2> const& at, double a) const {
    return a * static_cast<double>(at[0] + 1);
  }
};

template <class X, class F>
bool equal(X const& x, F const& expected) {
  auto const all = gather_all(x);
  std::size_t at = 0;
  for (index_t i = 0; i < x.extent(0); ++i)
    for (index_t j = 0; j < x.extent(1); ++j)
      if (all[at++] != expected(i, j)) return false;
  return true;
}
double tilted_at(index_t i, index_t j) { return tilted{}({{i, j}}, number{}(i, j)); }

template <class L>
void check_layout() {
  for_each_grid([](auto const& m, auto const& n) {
    auto const x = generate<double, L>(m, {n[0], n[1]}, number{});
    auto const y = elementwise(tilted{}, x);
    static_assert(std::is_same_v<layout_t<decltype(y)>, L>);
    CHECK(equal(y, tilted_at));
    // Inside of larger expressions, a reduction, and an assignment in place.
    CHECK(equal(2. * elementwise(tilted{}, x + x) - x, [](index_t i, index_t j) {
      return 2 * tilted{}({{i, j}}, 2 * number{}(i, j)) - number{}(i, j);
    }));
    double total = 0;
    for (index_t i = 0; i < n[0]; ++i)
      for (index_t j = 0; j < n[1]; ++j) total += tilted_at(i, j);
    CHECK(item(all_reduce(sum(elementwise(tilted{}, x)))) == total);
    auto z = generate<double, L>(m, {n[0], n[1]}, number{});
    assign(z, elementwise(product_and_column{}, z, x));
    CHECK(equal(z, [](index_t i, index_t j) { return number{}(i, j) * number{}(i, j) + static_cast<double>(j); }));
    auto const four = elementwise(four_and_row{}, x, y, x, y);
    CHECK(equal(
        four, [](index_t i, index_t j) { return 4 * number{}(i, j) + 6 * tilted_at(i, j) + static_cast<double>(i); }));
    // [mask]
    auto const mask = elementwise(positive_on_diagonal{}, x);
    // [mask]
    static_assert(std::is_same_v<element_t<decltype(mask)>, bool>);
    CHECK(equal(where(mask, x, 0. * x),
                [](index_t i, index_t j) { return i == j && number{}(i, j) > 0 ? number{}(i, j) : 0; }));
  });
}

}  // namespace

TEST_CASE("elementwise: a function takes the global index, in every layout") {
  check_layout<layout<"y", "x">>();
  check_layout<layout<"x", none>>();
  check_layout<layout<none, axes("y", "x")>>();
  check_layout<layout<none, none>>();
  check_layout<layout<cyclic("y", 2), cyclic("x", 3)>>();
  check_layout<layout<none, cyclic("x", 1)>>();
}

TEST_CASE("elementwise: the index of cells with a halo, and of broadcast operands") {
  for_each_grid([](auto const& m, auto const& n) {
    using H = layout<halo("y", 1, boundary::periodic), halo("x", 2)>;
    auto const u = generate<double, H>(m, {n[0], n[1]}, number{});
    auto const y = elementwise(tilted{}, u);
    static_assert(std::is_same_v<layout_t<decltype(y)>, H>);
    CHECK(equal(owned(y), tilted_at));
    auto const column = generate<double, layout<"x">>(m, {n[1]}, column_number{});
    // Its index has one number, and each of its elements meets all rows.
    auto const doubled = elementwise(and_ten_columns{}, column);
    auto const x = generate<double, layout<"y", "x">>(m, {n[0], n[1]}, number{});
    CHECK(
        equal(x * doubled, [](index_t i, index_t j) { return number{}(i, j) * static_cast<double>(j % 3 + 10 * j); }));
    // With an operand of more dimensions, it is the index of the result.
    CHECK(equal(elementwise(sum_and_row{}, column, x), [](index_t i, index_t j) {
      return static_cast<double>(j % 3) + number{}(i, j) + static_cast<double>(i);
    }));
  });
}

TEST_CASE("elementwise: a partial operand, and the derivative of a linear function with the index") {
  for_each_grid([](auto const& m, auto const& n) {
    using L = layout<"y", "x">;
    auto const x = generate<double, L>(m, {n[0], n[1]}, number{});
    auto const rows = generate<double, layout<none, "x">>(m, {n[0], n[1]}, number{});
    auto const p = as_partial<"y">(rows);
    auto const scaled = elementwise<linearity::linear>(times_row{}, p);
    CHECK(equal(all_reduce(scaled), [](index_t i, index_t j) { return number{}(i, j) * static_cast<double>(i + 1); }));
    auto const y = elementwise(tilted{}, x);
    auto const [value, g] =
        value_and_grad<none>([&](auto const& u) { return all_reduce(sum(elementwise(weighted{}, u) * y)); })(x);
    CHECK(item(value) == item(all_reduce(sum(x * g))));
    CHECK(equal(g, [](index_t i, index_t j) { return static_cast<double>(i + 2 * j) * tilted_at(i, j); }));
  });
}
