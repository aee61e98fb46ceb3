// labels: mpich
// The code of docs/how_to/existing_programs.md: a program with MPI and Kokkos of its own takes ashlar for one piece.
#include <ashlar/ashlar.hpp>
#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <vector>
#include "support/host_memory.hpp"
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
  auto u = adopt<blocks>(m, field, {rows, columns});                                   // the same memory
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
  auto lines = redistribute<whole_rows>(u);
  auto const line = lines.view();
  Kokkos::parallel_for(
      line.extent(0), KOKKOS_LAMBDA(int i) {
        for (std::size_t j = 1; j < line.extent(1); ++j) line(i, j) += line(i, j - 1);
      });
  Kokkos::fence();
  redistribute_into(u, lines);
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

// The rows of an n x k matrix are split over the ranks, then its columns are. Each pair of ranks has a block in common.
struct part {
  int begin, size;
};
part part_of(int n, int ranks, int rank) {
  return {rank * (n / ranks) + std::min(rank, n % ranks), n / ranks + (rank < n % ranks)};
}
MPI_Datatype block_of(int rows, int columns, part r, part c) {
  int const whole[]{rows, columns}, size[]{r.size, c.size}, first[]{r.begin, c.begin};
  MPI_Datatype type = MPI_DOUBLE;
  if (r.size > 0 && c.size > 0) {
    MPI_Type_create_subarray(2, whole, size, first, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
  }
  return type;
}
void rows_to_columns(MPI_Comm comm, int n, int k, double const* by_rows, double* by_columns) {
  int ranks = 1, rank = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  part const rows = part_of(n, ranks, rank), columns = part_of(k, ranks, rank);
  std::vector<int> sends, receives, zeros(static_cast<std::size_t>(ranks));
  std::vector<MPI_Datatype> out, in;
  for (int q = 0; q < ranks; ++q) {
    part const its_rows = part_of(n, ranks, q), its_columns = part_of(k, ranks, q);
    out.push_back(block_of(rows.size, k, {0, rows.size}, its_columns));
    in.push_back(block_of(n, columns.size, its_rows, {0, columns.size}));
    sends.push_back(rows.size > 0 && its_columns.size > 0);
    receives.push_back(its_rows.size > 0 && columns.size > 0);
  }
  MPI_Alltoallw(by_rows, sends.data(), zeros.data(), out.data(), by_columns, receives.data(), zeros.data(), in.data(),
                comm);
  for (auto* types : {&out, &in})
    for (MPI_Datatype& type : *types)
      if (type != MPI_DOUBLE) MPI_Type_free(&type);
}

// [by_ashlar]
using line = mesh<axis<"p">>;
void rows_to_columns(device_mesh<line> const& m, index_t n, index_t k, double* by_rows, double* by_columns) {
  auto const from = adopt<layout<"p", none>>(m, by_rows, {n, k});
  auto to = adopt<layout<none, "p">>(m, by_columns, {n, k});
  redistribute_into(to, from);
}
// [by_ashlar]

}  // namespace

TEST_CASE("existing program: rows to columns by MPI_Alltoallw and by redistribute_into") {
  ASHLAR_NEEDS(test::host_reads_tensors);
  device_mesh<line> const m(MPI_COMM_WORLD, {testing::ranks()});
  for (int const n : {1, 6, 13})
    for (int const k : {2, 9}) {
      part const rows = part_of(n, m.size(), m.rank()), columns = part_of(k, m.size(), m.rank());
      std::vector<double> by_rows(static_cast<std::size_t>(rows.size * k)),
          expected(static_cast<std::size_t>(n * columns.size)), found(expected.size());
      for (int i = 0; i < rows.size; ++i)
        for (int j = 0; j < k; ++j) by_rows[static_cast<std::size_t>(i * k + j)] = 100. * (rows.begin + i) + j;
      rows_to_columns(MPI_COMM_WORLD, n, k, by_rows.data(), expected.data());
      rows_to_columns(m, n, k, by_rows.data(), found.data());
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < columns.size; ++j)
          CHECK(expected[static_cast<std::size_t>(i * columns.size + j)] == 100. * i + columns.begin + j);
      CHECK(found == expected);
    }
}

TEST_CASE("existing program: running sums along rows of a field that the program owns") {
  for (index_t const rows : {1, 6, 13}) check_running_sums(rows);
}
