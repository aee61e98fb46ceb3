// The redistribution of ../programs/rows_to_columns.cpp by Kokkos and MPI alone.
#include <cstdio>
#include <vector>

#include "part.hpp"

namespace {

using matrix = Kokkos::View<double**, Kokkos::LayoutRight, space>;
using box = Kokkos::MDRangePolicy<space, Kokkos::Rank<2>>;

// The blocks of a shard, one for each rank: columns of a shard of rows, or rows of a shard of columns.
struct blocks {
  std::vector<int> counts, starts;
  std::vector<MPI_Datatype> types;

  blocks(int ranks, int rows, int columns, bool cut_columns)
      : counts(static_cast<std::size_t>(ranks), 1), starts(static_cast<std::size_t>(ranks), 0) {
    for (int q = 0; q < ranks; ++q) {
      part const its(cut_columns ? columns : rows, ranks, q);
      int const whole[]{rows, columns}, size[]{cut_columns ? rows : its.size(), cut_columns ? its.size() : columns},
          first[]{cut_columns ? 0 : its.begin, cut_columns ? its.begin : 0};
      bool const empty = size[0] == 0 || size[1] == 0;
      if (empty) counts[static_cast<std::size_t>(q)] = 0;
      MPI_Datatype type = MPI_DOUBLE;
      if (empty)
        MPI_Type_contiguous(1, MPI_DOUBLE, &type);
      else
        MPI_Type_create_subarray(2, whole, size, first, MPI_ORDER_C, MPI_DOUBLE, &type);
      MPI_Type_commit(&type);
      types.push_back(type);
    }
  }
  blocks(blocks const&) = delete;
  blocks& operator=(blocks const&) = delete;
  ~blocks() {
    for (MPI_Datatype& type : types) MPI_Type_free(&type);
  }
};

void exchange(matrix const& from, blocks const& out, matrix const& to, blocks const& in) {
  MPI_Alltoallw(from.data(), out.counts.data(), out.starts.data(), out.types.data(), to.data(), in.counts.data(),
                in.starts.data(), in.types.data(), MPI_COMM_WORLD);
}

int run() {
  int const rows = 1003, columns = 517;
  ranks_of const world(MPI_COMM_WORLD);
  part const mine(rows, world.size, world.rank), my_columns(columns, world.size, world.rank);
  auto const zeros = [](char const* name, int n, int m) {
    return matrix(name, static_cast<std::size_t>(n), static_cast<std::size_t>(m));
  };
  matrix const a = zeros("a", mine.size(), columns), by_columns = zeros("columns", rows, my_columns.size()),
               back = zeros("back", mine.size(), columns);
  Kokkos::parallel_for(
      "fill", box({0, 0}, {mine.size(), columns}),
      KOKKOS_LAMBDA(int i, int j) { a(i, j) = 1000. * (mine.begin + i) + j; });
  Kokkos::fence();
  blocks const of_rows(world.size, mine.size(), columns, true), of_columns(world.size, rows, my_columns.size(), false);
  exchange(a, of_rows, by_columns, of_columns);
  exchange(by_columns, of_columns, back, of_rows);
  double largest = 0, error = 0;
  Kokkos::parallel_reduce(
      "sums", Kokkos::RangePolicy<space>(0, my_columns.size()),
      KOKKOS_LAMBDA(int j, double& most) {
        double sum = 0;
        for (int i = 0; i < rows; ++i) sum += by_columns(i, j);
        if (sum > most) most = sum;
      },
      Kokkos::Max<double>(largest));
  Kokkos::parallel_reduce(
      "error", box({0, 0}, {mine.size(), columns}),
      KOKKOS_LAMBDA(int i, int j, double& most) {
        double const here = Kokkos::abs(back(i, j) - a(i, j));
        if (here > most) most = here;
      },
      Kokkos::Max<double>(error));
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (world.rank == 0) std::printf("largest sum of a column %.0f, error %g\n", largest, error);
  return error == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_with_kokkos(argc, argv, run); }
