// The code of docs/how_to/existing_programs.md: a program with MPI and Kokkos of its own takes ashlar for one piece.
#include <ashlar/ashlar.hpp>
#include <doctest/doctest.h>
#include <cmath>
#include "support/mpi_main.hpp"

using namespace ashlar;

namespace {

// [layouts]
using grid = mesh<axis<"y">, axis<"x">>;
using blocks = layout<"y", "x">;                  // the program's decomposition: a block of rows and columns per rank
using whole_rows = layout<axes("y", "x"), none>;  // each row is on one rank
// [layouts]

double initial(index_t i, index_t j) { return static_cast<double>((7 * i + 3 * j) % 11) - 5; }

void check_running_sums(index_t rows) {
  index_t const columns = 9;
  MPI_Comm const program = MPI_COMM_WORLD;
  int const ranks = testing::ranks(), q = ranks % 2 == 0 ? 2 : 1;
  // [adopt]
  device_mesh<grid> const m(program, {ranks / q, q});
  shape const mine = local_shape(shape::of(rows, columns), layout_value_v<grid, blocks>, m.sizes(), m.rank());
  Kokkos::View<double**, Kokkos::LayoutRight> const field("field", mine[0], mine[1]);  // the program's memory
  auto const u = adopt<blocks>(m, field, {rows, columns});                             // the same memory
  // [adopt]
  auto const host = Kokkos::create_mirror_view(field);
  region const own = u.local_region();
  auto const row = [&](std::size_t i) { return own.dim[0].begin + static_cast<index_t>(i); };
  auto const column = [&](std::size_t j) { return own.dim[1].begin + static_cast<index_t>(j); };
  for (std::size_t i = 0; i < host.extent(0); ++i)
    for (std::size_t j = 0; j < host.extent(1); ++j) host(i, j) = initial(row(i), column(j));
  Kokkos::deep_copy(field, host);
  // [norm]
  double const norm = item(sqrt(all_reduce(sum(u * u))));
  // [norm]
  // [rows]
  auto const lines = redistribute<whole_rows>(u);
  auto const line = lines.view();
  Kokkos::parallel_for(
      line.extent(0), KOKKOS_LAMBDA(int i) {
        for (std::size_t j = 1; j < line.extent(1); ++j) line(i, j) += line(i, j - 1);
      });
  Kokkos::fence();
  Kokkos::deep_copy(field, redistribute<blocks>(lines).view());
  // [rows]
  Kokkos::deep_copy(host, field);
  double squares = 0;
  bool right = true;
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < columns; ++j) squares += initial(i, j) * initial(i, j);
  for (std::size_t i = 0; i < host.extent(0); ++i)
    for (std::size_t j = 0; j < host.extent(1); ++j) {
      double sum = 0;
      for (index_t k = 0; k <= column(j); ++k) sum += initial(row(i), k);
      right = right && host(i, j) == sum;
    }
  CHECK(right);
  CHECK(std::abs(norm - std::sqrt(squares)) <= 1e-12 * norm);
  // [mpi]
  double sum_of_block = 0;
  for (std::size_t i = 0; i < host.extent(0); ++i)
    for (std::size_t j = 0; j < host.extent(1); ++j) sum_of_block += host(i, j);
  communicator const& same_rows = m.communicator("x");
  double sum_of_rows = sum_of_block;
  if (same_rows.size() > 1)  // an axis of size 1 has no communicator of MPI
    MPI_Allreduce(&sum_of_block, &sum_of_rows, 1, MPI_DOUBLE, MPI_SUM, same_rows.get());
  // [mpi]
  double all = 0, expected = 0;
  double const share = sum_of_rows / q;
  MPI_Allreduce(&share, &all, 1, MPI_DOUBLE, MPI_SUM, program);
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < columns; ++j) expected += static_cast<double>(columns - j) * initial(i, j);
  CHECK(std::abs(all - expected) <= 1e-9);
}

}  // namespace

TEST_CASE("existing program: running sums along rows of a field that the program owns") {
  for (index_t const rows : {1, 6, 13}) check_running_sums(rows);
}
