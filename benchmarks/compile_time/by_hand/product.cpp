// The product of ../programs/product.cpp by Kokkos, BLAS and MPI alone.
#include <cblas.h>

#include <cstdio>
#include <vector>

#include "part.hpp"

namespace {

using matrix = Kokkos::View<double**, Kokkos::LayoutRight, space>;
using box = Kokkos::MDRangePolicy<space, Kokkos::Rank<2>>;

matrix zeros(char const* name, int rows, int columns) {
  return {name, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)};
}

// The blocks of `mine` of all ranks of comm, one after the other. Part q has starts[q + 1] - starts[q] elements.
std::vector<double> gather(MPI_Comm comm, matrix const& mine, std::vector<int>& starts) {
  ranks_of const all(comm);
  std::vector<int> counts(static_cast<std::size_t>(all.size));
  int const count = static_cast<int>(mine.size());
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm);
  starts.assign(1, 0);
  for (int n : counts) starts.push_back(starts.back() + n);
  std::vector<double> blocks(static_cast<std::size_t>(starts.back()));
  MPI_Allgatherv(mine.data(), count, MPI_DOUBLE, blocks.data(), counts.data(), starts.data(), MPI_DOUBLE, comm);
  return blocks;
}

int run() {
  int const rows = 300, inner = 200, columns = 200;
  int sizes[2]{}, at[2]{};
  int const open[2]{}, along_row[2]{0, 1}, along_column[2]{1, 0};
  ranks_of const world(MPI_COMM_WORLD);
  MPI_Dims_create(world.size, 2, sizes);
  MPI_Comm cart = MPI_COMM_NULL, row = MPI_COMM_NULL, column = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, open, 0, &cart);
  MPI_Cart_coords(cart, world.rank, 2, at);
  MPI_Cart_sub(cart, along_row, &row);
  MPI_Cart_sub(cart, along_column, &column);
  part const p(rows, sizes[0], at[0]), p_inner(inner, sizes[0], at[0]), q(columns, sizes[1], at[1]),
      q_inner(inner, sizes[1], at[1]);
  matrix const a = zeros("a", p.size(), q_inner.size()), b = zeros("b", p_inner.size(), q.size()),
               c = zeros("c", p.size(), q.size());
  Kokkos::parallel_for(
      "a", box({0, 0}, {p.size(), q_inner.size()}),
      KOKKOS_LAMBDA(int i, int j) { a(i, j) = p.begin + i + q_inner.begin + j; });
  Kokkos::parallel_for(
      "b", box({0, 0}, {p_inner.size(), q.size()}),
      KOKKOS_LAMBDA(int i, int j) { b(i, j) = p_inner.begin + i == q.begin + j ? 2 : 0; });
  Kokkos::fence();

  // The blocks of a in this row of ranks, and of b in this column. The rows of b follow each other.
  std::vector<int> starts, ignored;
  std::vector<double> const as = gather(row, a, starts), bs = gather(column, b, ignored);
  for (int k = 0; k < sizes[1]; ++k) {
    part const these(inner, sizes[1], k);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, p.size(), q.size(), these.size(), 1,
                as.data() + starts[static_cast<std::size_t>(k)], these.size(), bs.data() + these.begin * q.size(),
                q.size(), 1, c.data(), q.size());
  }

  double error = 0, total = 0;
  Kokkos::parallel_reduce(
      "error", box({0, 0}, {p.size(), q.size()}),
      KOKKOS_LAMBDA(int i, int j, double& most, double& sum) {
        double const here = Kokkos::abs(c(i, j) - 2. * (p.begin + i + q.begin + j));
        if (here > most) most = here;
        sum += c(i, j);
      },
      Kokkos::Max<double>(error), total);
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, cart);
  MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_DOUBLE, MPI_SUM, cart);
  if (world.rank == 0) std::printf("sum %.0f, error %g\n", total, error);
  for (MPI_Comm* comm : {&row, &column, &cart}) MPI_Comm_free(comm);
  return error == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_with_kokkos(argc, argv, run); }
