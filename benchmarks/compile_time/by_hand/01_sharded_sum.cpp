// The sum of examples/01_sharded_sum.cpp by Kokkos and MPI alone.
#include <cstdio>

#include "part.hpp"

namespace {

int run() {
  ranks_of const world(MPI_COMM_WORLD);
  part const mine(1000, world.size, world.rank);
  Kokkos::View<double*, space> const x("x", static_cast<std::size_t>(mine.size()));
  Kokkos::parallel_for(
      "fill", Kokkos::RangePolicy<space>(0, mine.size()), KOKKOS_LAMBDA(int i) { x(i) = mine.begin + i; });
  double total = 0;
  Kokkos::parallel_reduce(
      "sum", Kokkos::RangePolicy<space>(0, mine.size()), KOKKOS_LAMBDA(int i, double& sum) { sum += x(i); }, total);
  MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (world.rank == 0) std::printf("sum of 0 to 999 on %d ranks: %.0f\n", world.size, total);
  return total == 999 * 1000 / 2 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_with_kokkos(argc, argv, run); }
