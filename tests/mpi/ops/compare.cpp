// Comparisons, choices by a mask, and functions of three and four operands, against plain loops; the derivative of where.
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/mpi_main.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace ashlar;

namespace {

using line = mesh<axis<"x">>;
constexpr index_t rows = 7, columns = 5;
struct left {
  KOKKOS_FUNCTION int operator()(index_t i, index_t j) const { return static_cast<int>((3 * i + 5 * j) % 7); }
};
struct right {
  KOKKOS_FUNCTION int operator()(index_t j) const { return static_cast<int>((2 * j) % 5); }
};

// The elements of a function of a, an element of the matrix, and b, the element of the row in its column.
template <class F>
std::vector<int> by_loop(F f) {
  std::vector<int> y;
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < columns; ++j) y.push_back(f(left{}(i, j), right{}(j)));
  return y;
}

struct sum_of_three {
  KOKKOS_FUNCTION int operator()(int a, int b, int c) const { return a * 100 + b * 10 + c; }
};
struct sum_of_four {
  KOKKOS_FUNCTION int operator()(int a, int b, int c, int d) const { return a * 1000 + b * 100 + c * 10 + d; }
};

}  // namespace

TEST_CASE("compare: tensors with tensors and numbers, and where") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const a = generate<int, layout<"x", none>>(m, {rows, columns}, left{});
  auto const b = generate<int, layout<none>>(m, {columns}, right{});
  auto const bits = [](auto... mask) { return gather_all((... + cast<int>(mask))); };
  CHECK(bits(a < b) == by_loop([](int x, int y) { return x < y; }));
  CHECK(bits(a <= b) == by_loop([](int x, int y) { return x <= y; }));
  CHECK(bits(a > b) == by_loop([](int x, int y) { return x > y; }));
  CHECK(bits(a >= b) == by_loop([](int x, int y) { return x >= y; }));
  CHECK(bits(a == b) == by_loop([](int x, int y) { return x == y; }));
  CHECK(bits(b != a) == by_loop([](int x, int y) { return x != y; }));
  CHECK(bits(a<3, a <= 3, a> 2, a >= 2, a == 4, a != 5) ==
        by_loop([](int x, int) { return (x < 3) + (x <= 3) + (x > 2) + (x >= 2) + (x == 4) + (x != 5); }));
  CHECK(bits(3 < a, 3 <= a, 2 > a, 2 >= a, 4 == a, 5 != a) ==
        by_loop([](int x, int) { return (3 < x) + (3 <= x) + (2 > x) + (2 >= x) + (4 == x) + (5 != x); }));

  // Masks travel, and their maximum says whether an element is true.
  auto const mask = by_loop([](int x, int y) { return x < y; });
  CHECK(gather_all(a < b) == std::vector<bool>(mask.begin(), mask.end()));
  CHECK(gather_all(cast<int>(all_gather<"x">(a < b))) == mask);
  CHECK(gather_all(cast<int>(redistribute<layout<none, "x">>(a < b))) == mask);
  CHECK(item(all_reduce(max(a == 6))));
  CHECK(!item(all_reduce(max(a == 7))));
  CHECK(!item(all_reduce(min(a < 6))));

  CHECK(gather_all(where(a < b, a, b)) == by_loop([](int x, int y) { return x < y ? x : y; }));
  CHECK(gather_all(where(b > 2, a, 9)) == by_loop([](int x, int y) { return y > 2 ? x : 9; }));
  CHECK(gather_all(where(a > 2, 9, b)) == by_loop([](int x, int y) { return x > 2 ? 9 : y; }));
  CHECK(gather_all(where(a > b, 4, 6)) == by_loop([](int x, int y) { return x > y ? 4 : 6; }));

  CHECK(gather_all(elementwise(sum_of_three{}, b, a, b)) == by_loop([](int x, int y) { return 101 * y + 10 * x; }));
  CHECK(gather_all(elementwise(sum_of_four{}, b, a + 1, b, 2 * a)) ==
        by_loop([](int x, int y) { return 1010 * y + 100 * (x + 1) + 2 * x; }));
}

TEST_CASE("compare: where of partial sums is their partial sum") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const a = generate<int, layout<none, none>>(m, {rows, columns}, left{});
  auto const one = as_partial<"x">(a), other = as_partial<"x">(2 * a);
  CHECK(gather_all(all_reduce(where(a > 3, one, other))) == by_loop([](int x, int) { return x > 3 ? x : 2 * x; }));
}

TEST_CASE("compare: the derivative of where is 0 for what is not chosen") {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const x = cast<double>(generate<int, layout<"x", none>>(m, {rows, columns}, left{})).evaluate();
  auto const loss = [](auto const& u) {
    return sum(where(u > 4., 3. * u, -u) + where(u < 2., u, 7.) + where(u == 3., 1., square(u)));
  };
  auto const [value, gradient] = value_and_grad<"x">(loss)(x);
  CHECK(gather_all(cast<int>(gradient)) ==
        by_loop([](int u, int) { return (u > 4 ? 3 : -1) + (u < 2 ? 1 : 0) + (u == 3 ? 0 : 2 * u); }));
  int total = 0;
  for (int u : by_loop([](int v, int) { return (v > 4 ? 3 * v : -v) + (v < 2 ? v : 7) + (v == 3 ? 1 : v * v); }))
    total += u;
  CHECK(item(all_reduce(value)) == total);
}
