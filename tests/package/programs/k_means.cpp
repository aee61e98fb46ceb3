// k-means of 1001 points in the plane. The points are sharded, the centres are on every rank.
#include <ashlar/ashlar.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace ashlar;
using line = mesh<axis<"data">>;

constexpr index_t points = 1001, clusters = 4;

// Points around (3, 3), (-3, 3), (3, -3) and (-3, -3), without an order.
KOKKOS_FUNCTION double coordinate(index_t i, index_t d) {
  double const side = (i >> d) % 2 == 0 ? 3 : -3;
  return side + std::sin(1.7 * double(i) + 2.3 * double(d));
}

int main() {
  return run_program("k_means", [] {
    device_mesh<line> const m(MPI_COMM_WORLD);
    auto const x = generate<double, layout<"data", none>>(
        m, {points, 2}, KOKKOS_LAMBDA(index_t i, index_t d) { return coordinate(i, d); });
    auto const one = ones<double, layout<"data">>(m, {points});
    auto centres = generate<double, layout<none, none>>(
        m, {clusters, 2}, KOKKOS_LAMBDA(index_t i, index_t d) { return coordinate(i, d); });  // the first 4 points
    for (int turn = 0; turn < 5; ++turn) {
      auto const distance = sum<1>(centres * centres) - 2. * einsum<"id,kd->ik">(x, centres);  // and |x|^2, for all k
      auto const nearest = element_index(argmin<1>(distance));                                 // layout<"data">
      auto const [sums, counts] = all_reduce<"data">(bundle(
          scatter_add(x, nearest, centres), scatter_add(one, nearest, zeros<double, layout<none>>(m, {clusters}))));
      centres = sums / expand<1>(counts, sums);
    }

    std::vector<double> c(2 * clusters);
    for (index_t k = 0; k < clusters; ++k)
      for (index_t d = 0; d < 2; ++d) c[2 * k + d] = coordinate(k, d);
    for (int turn = 0; turn < 5; ++turn) {
      std::vector<double> sums(2 * clusters), counts(clusters);
      for (index_t i = 0; i < points; ++i) {
        auto const distance = [&](index_t k) {
          return std::pow(coordinate(i, 0) - c[2 * k], 2) + std::pow(coordinate(i, 1) - c[2 * k + 1], 2);
        };
        index_t nearest = 0;
        for (index_t k = 1; k < clusters; ++k)
          if (distance(k) < distance(nearest)) nearest = k;
        counts[nearest] += 1;
        for (index_t d = 0; d < 2; ++d) sums[2 * nearest + d] += coordinate(i, d);
      }
      for (index_t k = 0; k < clusters; ++k)
        for (index_t d = 0; d < 2; ++d) c[2 * k + d] = sums[2 * k + d] / counts[k];
    }
    std::vector<double> const found = unpack(centres);
    double error = 0;
    for (std::size_t i = 0; i < c.size(); ++i) error = std::max(error, std::abs(found[i] - c[i]));
    if (m.rank() == 0) std::printf("k_means on %d ranks: largest error %g\n", m.size(), error);
    return error < 1e-12 ? 0 : 1;
  });
}
