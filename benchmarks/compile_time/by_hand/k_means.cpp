// The clusters of tests/package/programs/k_means.cpp by Kokkos and MPI alone.
#include <cmath>
#include <cstdio>
#include <vector>

#include "part.hpp"

namespace {

constexpr int points = 1001, clusters = 4;
using matrix = Kokkos::View<double**, Kokkos::LayoutRight, space>;

// Points around (3, 3), (-3, 3), (3, -3) and (-3, -3), without an order.
KOKKOS_FUNCTION double coordinate(int i, int d) {
  double const side = (i >> d) % 2 == 0 ? 3 : -3;
  return side + std::sin(1.7 * i + 2.3 * d);
}

// For each cluster the sums of the coordinates of its points, and their number.
struct sums_of_clusters {
  using value_type = double[];
  using execution_space = space;
  std::size_t value_count = 3 * clusters;
  matrix x, centres;

  KOKKOS_FUNCTION void operator()(int i, double* sums) const {
    int nearest = 0;
    double least = 0;
    for (int k = 0; k < clusters; ++k) {
      double const a = x(i, 0) - centres(k, 0), b = x(i, 1) - centres(k, 1), distance = a * a + b * b;
      if (k > 0 && distance >= least) continue;
      nearest = k;
      least = distance;
    }
    sums[3 * nearest] += x(i, 0);
    sums[3 * nearest + 1] += x(i, 1);
    sums[3 * nearest + 2] += 1;
  }
  KOKKOS_FUNCTION void init(double* sums) const {
    for (std::size_t i = 0; i < value_count; ++i) sums[i] = 0;
  }
  KOKKOS_FUNCTION void join(double* sums, double const* more) const {
    for (std::size_t i = 0; i < value_count; ++i) sums[i] += more[i];
  }
};

int run() {
  ranks_of const world(MPI_COMM_WORLD);
  part const mine(points, world.size, world.rank);
  matrix const x("x", static_cast<std::size_t>(mine.size()), 2), centres("centres", clusters, 2);
  Kokkos::parallel_for(
      "points", Kokkos::RangePolicy<space>(0, mine.size()), KOKKOS_LAMBDA(int i) {
        for (int d = 0; d < 2; ++d) x(i, d) = coordinate(mine.begin + i, d);
      });
  for (int k = 0; k < clusters; ++k)
    for (int d = 0; d < 2; ++d) centres(k, d) = coordinate(k, d);
  for (int turn = 0; turn < 5; ++turn) {
    double sums[3 * clusters];
    sums_of_clusters const f{.x = x, .centres = centres};
    Kokkos::parallel_reduce("sums", Kokkos::RangePolicy<space>(0, mine.size()), f, sums);
    MPI_Allreduce(MPI_IN_PLACE, sums, 3 * clusters, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int k = 0; k < clusters; ++k)
      for (int d = 0; d < 2; ++d) centres(k, d) = sums[3 * k + d] / sums[3 * k + 2];
  }

  std::vector<double> c(2 * clusters);
  for (int k = 0; k < clusters; ++k)
    for (int d = 0; d < 2; ++d) c[static_cast<std::size_t>(2 * k + d)] = coordinate(k, d);
  for (int turn = 0; turn < 5; ++turn) {
    std::vector<double> sums(2 * clusters), counts(clusters);
    for (int i = 0; i < points; ++i) {
      auto const distance = [&](std::size_t k) {
        return std::pow(coordinate(i, 0) - c[2 * k], 2) + std::pow(coordinate(i, 1) - c[2 * k + 1], 2);
      };
      std::size_t nearest = 0;
      for (std::size_t k = 1; k < clusters; ++k)
        if (distance(k) < distance(nearest)) nearest = k;
      counts[nearest] += 1;
      for (std::size_t d = 0; d < 2; ++d) sums[2 * nearest + d] += coordinate(i, static_cast<int>(d));
    }
    for (std::size_t k = 0; k < clusters; ++k)
      for (std::size_t d = 0; d < 2; ++d) c[2 * k + d] = sums[2 * k + d] / counts[k];
  }
  double error = 0;
  for (std::size_t i = 0; i < c.size(); ++i) error = std::max(error, std::abs(centres.data()[i] - c[i]));
  if (world.rank == 0) std::printf("k_means on %d ranks: largest error %g\n", world.size, error);
  return error < 1e-12 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return run_with_kokkos(argc, argv, run); }
