// Elementwise functions of two tensors against loops over the values that they denote. The layouts reach every cell of the
// rule: both whole or sharded alike, partial sums in one or both, dimensions that stretch.
#include "ashlar/tensor/backend.hpp"
#include "mpi/ops/operations.hpp"
#include <cmath>

using namespace ashlar;
using namespace ashlar::test;

namespace {

// Aligned at the last dimension; dimensions that one lacks, or has with extent 1, stretch.
template <class F>
dense_array map(F f, dense_array const& a, dense_array const& b) {
  dense_array y;
  y.extents.rank = std::max(a.extents.rank, b.extents.rank);
  auto extent = [&](dense_array const& x, int d) {
    int const i = d - (y.extents.rank - x.extents.rank);
    return i < 0 ? index_t{1} : x.extents[i];
  };
  for (int d = 0; d < y.extents.rank; ++d) y.extents[d] = extent(a, d) == 1 ? extent(b, d) : extent(a, d);
  for (index_t g = 0; g < y.extents.size(); ++g) {
    index_t at[2]{};
    for (int d = 0; d < y.extents.rank; ++d) {
      index_t const i = g / y.extents.stride(d) % y.extents[d];
      at[0] = at[0] * extent(a, d) + (extent(a, d) == 1 ? 0 : i);
      at[1] = at[1] * extent(b, d) + (extent(b, d) == 1 ? 0 : i);
    }
    y.element.push_back(f(a[at[0]], b[at[1]]));
  }
  return y;
}

template <class La, class Lb, class Out, class F, class G>
void check_binary(device_mesh<xy_grid> const& m, shape const& ea, shape const& eb, F of_tensors, G of_numbers) {
  auto const a = numbers<La>(m, ea);
  auto const b = numbers<Lb>(m, eb);
  check<Out>(of_tensors(a, b), map(of_numbers, value_of(a), value_of(b)));
}

}  // namespace

TEST_CASE("elementwise, two operands: where no tensor is partial they are sharded alike") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      auto const add = [](auto const& a, auto const& b) { return a + b; };
      check_binary<layout<none, none>, layout<none, none>, layout<none, none>>(m, e, e, add, add);
      check_binary<layout<"y", "x">, layout<"y", "x">, layout<"y", "x">>(m, e, e, add, add);
      check_binary<layout<axes("x", "y"), none>, layout<axes("x", "y"), none>, layout<axes("x", "y"), none>>(m, e, e,
                                                                                                             add, add);
      using L = layout<"x", none>;
      auto const subtract = [](auto const& a, auto const& b) { return a - b; };
      auto const multiply = [](auto const& a, auto const& b) { return a * b; };
      check_binary<L, L, L>(m, e, e, subtract, subtract);
      check_binary<L, L, L>(m, e, e, multiply, multiply);
      check_binary<L, L, L>(
          m, e, e, [](auto const& a, auto const& b) { return a / b; },
          [](double a, double b) { return std::trunc(a / b); });
      check_binary<L, L, L>(
          m, e, e, [](auto const& a, auto const& b) { return maximum(a, b); },
          [](double a, double b) { return std::max(a, b); });
      check_binary<L, L, L>(
          m, e, e, [](auto const& a, auto const& b) { return minimum(a, b); },
          [](double a, double b) { return std::min(a, b); });
      auto const several = [](auto const& a, auto const& b) { return (a + b) * (a - b) + a * 2; };
      check_binary<L, L, L>(m, e, e, several, several);
    }
  });
}

TEST_CASE("elementwise, two operands: partial sums") {
  on_every_mesh([](auto const& m) {
    for (shape const& e : matrices()) {
      using P = partial<layout<"x", none>, "y">;
      using R = layout<"x", none>;
      auto const add = [](auto const& a, auto const& b) { return a + b; };
      auto const subtract = [](auto const& a, auto const& b) { return a - b; };
      auto const multiply = [](auto const& a, auto const& b) { return a * b; };
      check_binary<P, P, P>(m, e, e, add, add);
      check_binary<P, P, P>(m, e, e, subtract, subtract);
      check_binary<P, R, P>(m, e, e, multiply, multiply);
      check_binary<R, P, P>(m, e, e, multiply, multiply);
      using W = layout<none, none>;
      check_binary<partial<W, "x">, partial<W, "y">, partial<W, axes("x", "y")>>(m, e, e, multiply, multiply);
      auto const a = numbers<P, double>(m, e);
      auto const power = [](index_t g, int) { return g % 3 ? 2 : -4; };  // quotients by which are exact
      dense_array const b{e, denoted<double>(e, sharded_tensor<double, R, xy_grid>::layout, m.sizes(), power)};
      check<P>(a / tensor_of<double, R>(m, e, power), map([](double p, double r) { return p / r; }, value_of(a), b));
    }
  });
}

TEST_CASE("elementwise, two operands: dimensions stretch") {
  on_every_mesh([](auto const& m) {
    auto const add = [](auto const& a, auto const& b) { return a + b; };
    auto const multiply = [](auto const& a, auto const& b) { return a * b; };
    for (shape const& e : matrices()) {
      shape const row = shape::of(e[1]), one_row = shape::of(1, e[1]), column = shape::of(e[0], 1);
      check_binary<layout<"x", "y">, layout<"y">, layout<"x", "y">>(m, e, row, add, add);
      check_binary<layout<"y">, layout<"x", "y">, layout<"x", "y">>(m, row, e, add, add);
      check_binary<layout<"x", none>, layout<none>, layout<"x", none>>(m, e, row, multiply, multiply);
      check_binary<layout<none, "y">, layout<none, "y">, layout<none, "y">>(m, e, one_row, add, add);
      check_binary<layout<"x", none>, layout<"x", none>, layout<"x", none>>(m, column, e, add, add);
      check_binary<layout<none, none>, layout<none, none>, layout<none, none>>(m, column, one_row, multiply, multiply);
      check_binary<layout<>, layout<"x", "y">, layout<"x", "y">>(m, shape{}, e, add, add);
      check_binary<partial<layout<"x", none>, "y">, layout<none>, partial<layout<"x", none>, "y">>(m, e, row, multiply,
                                                                                                   multiply);
    }
  });
}
