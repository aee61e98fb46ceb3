// What you learn here: a stencil on a grid that ranks share, and how its halo is exchanged.
//   mpiexec -n 4 heat
#include <ashlar/tensor.hpp>

#include <cmath>
#include <iostream>
#include <numbers>

using namespace ashlar;

// [layout]
using grid = mesh<axis<"y">, axis<"x">>;
using field = layout<halo("y", 1), halo("x", 1)>;  // beyond the square the temperature is 0
// [layout]

// [stencil]
struct heat {
  static constexpr auto reach = star(1, 1);
  double r;
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    return u(0, 0) + r * (u(-1, 0) + u(1, 0) + u(0, -1) + u(0, 1) - 4 * u(0, 0));
  }
};
constexpr auto sweep = [](auto const& u, double r) {
  return stencil(heat{r}, exchange_halo_async<corners::skipped>(u));
};
// [stencil]

// [contract]
// On 2 x 2 ranks a sweep is one exchange, of two faces.
constexpr auto one_sweep = [](auto const& m) { (void)sweep(make<double, field>(m, {4096, 4096}), 0.2); };
static_assert(dry_run(grid{{2, 2}}, one_sweep).count(collective::exchange_halo) == 1);
static_assert(dry_run(grid{{2, 2}}, one_sweep).bytes_per_rank() == (2048 + 2048) * 8);
// [contract]

// The sine that the equation only damps: its values beyond the square are 0.
struct mode {
  double step;  // pi / (n + 1)
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const {
    return std::sin(step * static_cast<double>(i + 1)) * std::sin(step * static_cast<double>(j + 1));
  }
};
struct times {
  static constexpr auto reach = star(0, 0);
  double factor;
  ASHLAR_FUNCTION double operator()(auto const& exact, auto const& u) const {
    return std::abs(factor * exact(0, 0) - u(0, 0));
  }
};

int main() {
  return run_program("heat", [] {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    device_mesh<grid> const m(MPI_COMM_WORLD, {size % 2 == 0 ? size / 2 : size, size % 2 == 0 ? 2 : 1});
    index_t const n = 257;  // divides by nothing
    int const steps = 500;
    double const r = 0.2, step = std::numbers::pi / (n + 1);
    // [loop]
    auto u = generate<double, field>(m, {n, n}, mode{step});
    for (int t = 0; t < steps; ++t) u = sweep(u, r);
    // [loop]
    // A sweep multiplies the mode by its eigenvalue.
    double const damping = std::pow(1 - 8 * r * std::pow(std::sin(step / 2), 2), steps);
    auto const exact = generate<double, layout<"y", "x">>(m, {n, n}, mode{step});
    double const error = item(all_reduce(max(stencil(times{damping}, exact, owned(u)))));
    if (m.rank() == 0)
      std::cout << "damped to " << damping << " in " << steps << " sweeps on " << size << " ranks, largest error "
                << error << "\n";
    return error < 1e-11 ? 0 : 1;
  });
}
