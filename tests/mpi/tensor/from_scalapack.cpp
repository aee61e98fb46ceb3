// The code of docs/how_to/from_scalapack.md: ScaLAPACK's distribution of a matrix, and layouts.
#include <ashlar/ashlar.hpp>
#include <doctest/doctest.h>
#include <vector>
#include "support/mpi_main.hpp"

using namespace ashlar;

namespace {

// [layout]
using process_grid = mesh<axis<"p">, axis<"q">>;
using matrix = layout<cyclic("p", 64), cyclic("q", 64)>;  // MB = NB = 64, RSRC = CSRC = 0
// [layout]

// NUMROC of ScaLAPACK's tools, with the source process 0.
constexpr index_t numroc(index_t n, index_t nb, int coordinate, int processes) {
  index_t const blocks = n / nb, extra = blocks % processes;
  index_t const whole = blocks / processes * nb;
  return whole + (coordinate < extra ? nb : coordinate == extra ? n % nb : 0);
}

// [numroc]
// local_shape is NUMROC in every dimension.
constexpr bool agrees(index_t m, index_t n, int p, int q) {
  process_grid const g{{p, q}};
  for (int rank = 0; rank < p * q; ++rank) {
    shape const local = local_shape(shape::of(m, n), layout_value_v<process_grid, matrix>, g.sizes(), rank);
    if (local != shape::of(numroc(m, 64, rank / q, p), numroc(n, 64, rank % q, q))) return false;
  }
  return true;
}
static_assert(agrees(1000, 1000, 2, 3) && agrees(65, 500, 4, 2) && agrees(10, 10, 3, 3));
// [numroc]

struct element {
  ASHLAR_FUNCTION double operator()(index_t j, index_t i) const { return static_cast<double>(1000 * i + j); }
};

}  // namespace

TEST_CASE("from ScaLAPACK: a column-major local array is adopted, changed and redistributed") {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int const p = size % 2 == 0 ? 2 : 1, q = size / p;
  index_t const rows = 150, columns = 100;
  // [adopt]
  device_mesh<process_grid> const m(MPI_COMM_WORLD, {p, q});  // Cblacs_gridinit(&context, "Row", p, q)
  shape const mine = local_shape(shape::of(rows, columns), layout_value_v<process_grid, matrix>, m.sizes(), m.rank());
  Kokkos::View<double**, Kokkos::LayoutLeft> const local("A", mine[0], mine[1]);  // LLD = mine[0]
  auto transposed = adopt_reversed<layout<cyclic("q", 64), cyclic("p", 64)>>(m, local, {columns, rows});
  // [adopt]
  auto const value = generate<double, layout<cyclic("q", 64), cyclic("p", 64)>>(m, {columns, rows}, element{});
  Kokkos::deep_copy(transposed.view(), value.view());
  // [redistribute]
  auto const a = redistribute<layout<"p", "q">>(transpose<1, 0>(transposed));  // PDGEMR2D
  double const norm = item(sqrt(all_reduce(sum(a * a))));                      // PDLANGE("F", ...)
  // [redistribute]
  double expected = 0;
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < columns; ++j) expected += static_cast<double>((1000 * i + j) * (1000 * i + j));
  CHECK(norm == doctest::Approx(std::sqrt(expected)));
}
