// The eigenvalue of tests/package/programs/power_iteration.cpp by Kokkos and MPI alone.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "part.hpp"

namespace {

int run() {
  int const n = 1003;
  ranks_of const world(MPI_COMM_WORLD);
  part const mine(n, world.size, world.rank);
  std::vector<int> counts, starts;
  for (int q = 0; q < world.size; ++q) {
    part const its(n, world.size, q);
    counts.push_back(its.size());
    starts.push_back(its.begin);
  }
  auto const rows = static_cast<std::size_t>(mine.size()), all = static_cast<std::size_t>(n);
  Kokkos::View<double**, Kokkos::LayoutRight, space> const a("a", rows, all);
  Kokkos::View<double*, space> const v("v", all), w("w", rows);
  // 1 + u u' has the eigenvalue 1 + |u|^2 for u, and 1 for all that is orthogonal to u.
  Kokkos::parallel_for(
      "a", Kokkos::MDRangePolicy<space, Kokkos::Rank<2>>({0, 0}, {mine.size(), n}), KOKKOS_LAMBDA(int i, int j) {
        int const row = mine.begin + i;
        a(i, j) = std::sin(row + 1.) * std::sin(j + 1.) + (row == j ? 1 : 0);
      });
  Kokkos::deep_copy(v, 1.);
  double value = 0;
  for (int turn = 0; turn < 10; ++turn) {
    double squares = 0;
    Kokkos::parallel_reduce(
        "product", Kokkos::RangePolicy<space>(0, mine.size()),
        KOKKOS_LAMBDA(int i, double& sum) {
          double here = 0;
          for (int j = 0; j < n; ++j) here += a(i, j) * v(j);
          w(i) = here;
          sum += here * here;
        },
        squares);
    MPI_Allreduce(MPI_IN_PLACE, &squares, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double const norm = value = std::sqrt(squares);
    MPI_Allgatherv(w.data(), mine.size(), MPI_DOUBLE, v.data(), counts.data(), starts.data(), MPI_DOUBLE,
                   MPI_COMM_WORLD);
    Kokkos::parallel_for(
        "scale", Kokkos::RangePolicy<space>(0, n), KOKKOS_LAMBDA(int i) { v(i) /= norm; });
  }
  double squares = 0, product = 0;
  for (int i = 0; i < n; ++i) squares += std::pow(std::sin(i + 1.), 2);
  Kokkos::parallel_reduce(
      "cosine", Kokkos::RangePolicy<space>(0, n), KOKKOS_LAMBDA(int i, double& sum) { sum += std::sin(i + 1.) * v(i); },
      product);
  double const cosine = std::abs(product) / std::sqrt(squares);
  double const error = std::max(std::abs(value - (1 + squares)) / squares, std::abs(cosine - 1));
  if (world.rank == 0) std::printf("power_iteration on %d ranks: %.12f, error %g\n", world.size, value, error);
  return error < 1e-12 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_with_kokkos(argc, argv, run); }
