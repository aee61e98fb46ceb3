// labels: messages host
// Tensors whose a dimension is block-cyclic, through everything that looks at global indices, against dense results.
#include "ashlar/tensor/tensor.hpp"
#include "ashlar/tensor/arrays/print.hpp"
#include "support/dense.hpp"
#include <doctest/doctest.h>

using namespace ashlar;
using namespace ashlar::planning;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"x">, axis<"y">>;
using tiles = layout<cyclic("x", 3), cyclic("y", 4)>;
using by_both = layout<cyclic(axes("y", "x"), 2), none>;
constexpr index_t rows = 23, columns = 37;

struct number {
  KOKKOS_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>(i * columns + j); }
};
std::vector<double> numbers() {
  std::vector<double> all;
  for (index_t g = 0; g < rows * columns; ++g) all.push_back(static_cast<double>(g));
  return all;
}

}  // namespace

TEST_CASE("block-cyclic: generated, gathered, scattered and redistributed") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const x = generate<double, tiles>(m, {rows, columns}, number{});
    CHECK(gather_all(x) == numbers());
    CHECK(gather_all(scatter<tiles>(m, {rows, columns}, numbers())) == numbers());
    CHECK(gather_all(scatter<by_both>(m, {rows, columns}, numbers())) == numbers());
    auto const same = [&](auto const& y) { CHECK(gather_all(y) == numbers()); };
    same(redistribute<layout<"x", "y">>(x));
    same(redistribute<layout<none, none>>(x));
    same(redistribute<by_both>(x));
    same(redistribute<layout<cyclic("y", 7), "x">>(x));
    same(redistribute<layout<none, cyclic(axes("x", "y"), 1)>>(x));
    same(redistribute<tiles>(redistribute<layout<axes("y", "x"), none>>(x)));
    auto const rows_whole = all_gather<"x">(x);
    static_assert(std::is_same_v<layout_t<decltype(rows_whole)>, layout<none, cyclic("y", 4)>>);
    same(rows_whole);
    auto const moved = all_to_all<"y", 0>(redistribute<layout<none, cyclic("y", 4)>>(x));
    static_assert(std::is_same_v<layout_t<decltype(moved)>, layout<"y", none>>);
    same(moved);
  });
}

TEST_CASE("block-cyclic: random numbers and dropout are those of the global index") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const whole = uniform<float, layout<none, none>>(m, {rows, columns}, prng_key{3});
    CHECK(gather_all(uniform<float, tiles>(m, {rows, columns}, prng_key{3})) == gather_all(whole));
    CHECK(gather_all(normal<double, by_both>(m, {rows, columns}, prng_key{4})) ==
          gather_all(normal<double, layout<"x", "y">>(m, {rows, columns}, prng_key{4})));
    auto const x = redistribute<tiles>(whole);
    CHECK(gather_all(dropout(x, 0.3f, prng_key{5})) == gather_all(dropout(whole, 0.3f, prng_key{5})));
    CHECK(gather_all(relu(dropout(x, 0.3f, prng_key{5}) * 2.f) + x) ==
          gather_all(relu(dropout(whole, 0.3f, prng_key{5}) * 2.f) + whole));
  });
}

TEST_CASE("block-cyclic: dropout of what is broadcast drops by the index of what is dropped") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const whole = generate<double, layout<none, none>>(m, {rows, columns}, number{});
    auto const drop = [](auto const& x) { return dropout(x, 0.5f, prng_key{7}); };
    auto const one_a_column = normal<double, layout<none>>(m, {columns}, prng_key{6});
    CHECK(gather_all(drop(redistribute<layout<cyclic("y", 4)>>(one_a_column)) + redistribute<tiles>(whole)) ==
          gather_all(drop(one_a_column) + whole));
    auto const one_a_row = normal<double, layout<none, none>>(m, {rows, 1}, prng_key{6});
    using cyclic_rows = layout<cyclic("x", 3), none>;
    CHECK(gather_all(drop(redistribute<cyclic_rows>(one_a_row)) * redistribute<cyclic_rows>(whole)) ==
          gather_all(drop(one_a_row) * whole));
  });
}

namespace {
struct row_to_take {
  KOKKOS_FUNCTION std::int32_t operator()(index_t i) const { return static_cast<std::int32_t>(i * 7 % rows); }
};
}  // namespace

TEST_CASE("block-cyclic: products, sums and rows by index") {
  for_each_factorisation([](auto const& sizes) {
    device_mesh<grid> const m(MPI_COMM_WORLD, sizes);
    auto const a = generate<double, layout<cyclic("x", 3), cyclic("y", 4)>>(m, {rows, columns}, number{});
    auto const b = generate<double, layout<cyclic("y", 4), none>>(m, {columns, rows}, number{});
    auto const dense_a = redistribute<layout<none, none>>(a), dense_b = redistribute<layout<none, none>>(b);
    auto const product = einsum<"ik,kj->ij">(a, b);  // whole numbers, exact in double
    static_assert(std::is_same_v<layout_t<decltype(product)>, partial<layout<cyclic("x", 3), none>, "y">>);
    CHECK(gather_all(all_reduce(product)) == gather_all(einsum<"ik,kj->ij">(dense_a, dense_b)));
    CHECK(gather_all(all_reduce(sum<0>(a))) == gather_all(sum<0>(dense_a)));
    CHECK(gather_all(all_reduce(sum(a))) == gather_all(sum(dense_a)));

    auto const index = generate<std::int32_t, layout<none>>(m, {50}, row_to_take{});
    auto const table = redistribute<layout<cyclic("x", 2), "y">>(a);
    auto const taken = take(table, index);
    static_assert(std::is_same_v<layout_t<decltype(taken)>, partial<layout<none, "y">, "x">>);
    CHECK(gather_all(all_reduce(taken)) == gather_all(take(dense_a, index)));
  });
}

TEST_CASE("block-cyclic: printed as any other tensor, and drawn with its runs") {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size(), 1});
  auto const x = generate<double, layout<cyclic("x", 2), none>>(m, {50, 41}, number{});
  std::ostringstream cyclic_text, whole_text;
  print(cyclic_text, x);
  print(whole_text, redistribute<layout<none, none>>(x));
  if (m.rank() == 0) {
    std::string const numbers_of_cyclic = cyclic_text.str().substr(cyclic_text.str().find('[')),
                      numbers_of_whole = whole_text.str().substr(whole_text.str().find('['));
    CHECK(numbers_of_cyclic == numbers_of_whole);
    CHECK(cyclic_text.str().find("layout<cyclic(\"x\", 2), none>, (50, 41)") != std::string::npos);
  }
  std::ostringstream drawing;
  draw<layout<cyclic("x", 2), none>>(drawing, grid{{2, 1}}, shape::of(7, 4));
  CHECK(drawing.str().find("0:2,4:6 |") != std::string::npos);
  CHECK(drawing.str().find("2:4,6:7 |") != std::string::npos);
}
