// Heat in a plate of 31 x 45 cells: held at 0 above and below, a ring from left to right.
#include <ashlar/ashlar.hpp>

#include <cstdio>
#include <vector>

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
using field = layout<halo("y", 1), halo("x", 1, boundary::periodic)>;

struct step {
  static constexpr auto reach = star(1, 1);
  double r = 0.2;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return u(0, 0) + r * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0));
  }
};

struct start {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return double((7 * i + 3 * j) % 11); }
};

int main() {
  return run_program("heat", [] {
    device_mesh<grid> const m(MPI_COMM_WORLD);  // MPI chooses the sizes of both axes
    index_t const rows = 31, columns = 45;
    auto u = generate<double, field>(m, {rows, columns}, start{});
    for (int t = 0; t < 30; ++t) u = stencil(step{}, exchange_halo_async<corners::skipped>(u));
    auto const found = gather_all(owned(u));

    std::vector<double> v(rows * columns), next(rows * columns);
    for (index_t i = 0; i < rows; ++i)
      for (index_t j = 0; j < columns; ++j) v[i * columns + j] = start{}(i, j);
    for (int t = 0; t < 30; ++t) {
      auto const at = [&](index_t i, index_t j) {
        return i < 0 || i == rows ? 0 : v[i * columns + (j + columns) % columns];
      };
      for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < columns; ++j)
          next[i * columns + j] =
              at(i, j) + 0.2 * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4 * at(i, j));
      std::swap(v, next);
    }
    double error = 0;
    for (std::size_t i = 0; i < v.size(); ++i) error = std::max(error, std::abs(found[i] - v[i]));
    if (m.rank() == 0)
      std::printf("heat on %d x %d ranks: largest error %g\n", m.sizes().size[0], m.sizes().size[1], error);
    return error < 1e-12 ? 0 : 1;
  });
}
