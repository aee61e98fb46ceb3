// labels: messages
// expand: rows and columns broadcast along sharded dimensions, and the derivative.
#include "ashlar/autodiff/autodiff.hpp"
#include "ashlar/tensor/tensor.hpp"
#include "support/mpi_main.hpp"
#include "support/provoked.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"a">, axis<"b">>;
struct number {
  KOKKOS_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>((7 * i + 3 * j) % 11); }
};
struct factor {
  KOKKOS_FUNCTION double operator()(index_t i) const { return static_cast<double>(i + 1); }
};

// Axes: those that shard the matrix.
template <class L, dimension Axes>
void check_rows_and_columns(device_mesh<grid> const& m, index_t rows, index_t columns) {
  auto const x = generate<double, L>(m, {rows, columns}, number{});
  auto const y = gather_all(x - expand<1>(all_reduce(sum<1>(x)), x));
  auto const z = gather_all(x * expand<0>(all_reduce(sum<0>(x)), x));
  std::vector<double> row(static_cast<std::size_t>(rows)), column(static_cast<std::size_t>(columns));
  auto const at = [&](index_t i, index_t j) { return number{}(i, j); };
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < columns; ++j)
      row[static_cast<std::size_t>(i)] += at(i, j), column[static_cast<std::size_t>(j)] += at(i, j);
  bool right = true;
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < columns; ++j) {
      auto const k = static_cast<std::size_t>(i * columns + j);
      right = right && y[k] == at(i, j) - row[static_cast<std::size_t>(i)] &&
              z[k] == at(i, j) * column[static_cast<std::size_t>(j)];
    }
  CHECK(right);

  auto const s = generate<double, layout_t<decltype(all_reduce(sum<1>(x)))>>(m, {rows}, factor{});
  auto const loss = [&](auto const& factors) { return sum(x * expand<1>(factors, x)); };
  auto const [value, gradient] = value_and_grad<Axes>(loss)(s);
  CHECK(gather_all(all_reduce(gradient)) == row);
  double expected = 0;
  for (index_t i = 0; i < rows; ++i) expected += row[static_cast<std::size_t>(i)] * static_cast<double>(i + 1);
  CHECK(item(all_reduce(value)) == expected);
}

}  // namespace

TEST_CASE("expand: rows and columns of matrices in every layout of two axes") {
  int const p = testing::ranks();
  device_mesh<grid> const m(MPI_COMM_WORLD, {p % 2 == 0 ? 2 : 1, p % 2 == 0 ? p / 2 : p});
  for (index_t const rows : {1, 7}) {
    check_rows_and_columns<layout<"a", "b">, axes("a", "b")>(m, rows, 10);
    check_rows_and_columns<layout<"b", "a">, axes("a", "b")>(m, rows, 10);
    check_rows_and_columns<layout<"a", none>, "a">(m, rows, 3);
    check_rows_and_columns<layout<none, axes("a", "b")>, axes("a", "b")>(m, rows, 13);
    check_rows_and_columns<layout<cyclic("a", 2), "b">, axes("a", "b")>(m, rows, 5);
    check_rows_and_columns<layout<none, none>, none>(m, rows, 5);
  }
  auto const x = generate<double, layout<"a", none>>(m, {6, 4}, number{});
  auto const other = generate<double, layout<"a">>(m, {5}, factor{});
  CHECK(
      said([&] { (void)expand<1>(other, x); }).substr(0, 114) ==
      "ashlar::expand: the tensor has the extents of the second one without the named dimensions; expected (6), found (5)");
}
