// What you learn here: bodies that attract each other, all with all. Blocks of visitors go from rank to rank by roll_async,
// and each block is on its way while the one before attracts.
//   mpiexec -n 4 nbody
#include <ashlar/tensor.hpp>

#include <cmath>
#include <iostream>
#include <numbers>

using namespace ashlar;

// [layout]
using ring = mesh<axis<"p">>;
using bodies = layout<"p", none, none>;  // block, body, coordinate
constexpr index_t blocks = 8, each = 32;
// [layout]

// [attraction]
// The acceleration of each body by the visitors of its block. A body does not attract itself.
struct attraction : user_operation<"bid,bjd->bid", "jd"> {
  double softening = 0.01;
  template <class Y, class X, class V>
  ASHLAR_FUNCTION void forward(index_t const*, Y y, X x, V v) const {
    double sum[3]{};
    for (index_t j = 0; j < v.extent(0); ++j) {
      double const d[]{v(j, 0) - x(0), v(j, 1) - x(1), v(j, 2) - x(2)};
      double const square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening;
      double const factor = 1 / (square * Kokkos::sqrt(square));
      for (int c = 0; c < 3; ++c) sum[c] += d[c] * factor;
    }
    for (int c = 0; c < 3; ++c) y(c) = sum[c];
  }
};
// [attraction]
// [acceleration]
constexpr auto acceleration = [](auto const& x) {
  auto coming = roll_async<0>(x);
  auto a = apply(attraction{}, x, x);
  for (index_t k = 1; k < blocks; ++k) {
    auto const visitors = coming.wait();
    if (k + 1 < blocks) coming = roll_async<0>(visitors);
    a += apply(attraction{}, x, visitors);
  }
  return a;
};
// [acceleration]
// [step]
// Verlet's scheme: the bodies at the next time from two times before.
constexpr auto step = [](auto const& x, auto const& before, double dt) {
  return 2. * x - before + dt * dt * acceleration(x);
};
// [step]

// [contract]
// Each rank receives all other blocks, one a roll.
constexpr auto one_step = [](auto const& m) {
  auto const x = make<double, bodies>(m, {blocks, each, 3});
  (void)step(x, x, 0.1);
};
static_assert(dry_run(ring{{4}}, one_step).count() == blocks - 1);
static_assert(dry_run(ring{{4}}, one_step).bytes_per_rank() == (blocks - 1) * each * 3 * 8);
// [contract]

// A regular polygon on a circle, in a plane that is tilted. It turns as a whole, by the angle `turned`.
struct polygon {
  double turned;
  ASHLAR_FUNCTION double operator()(index_t b, index_t i, index_t c) const {
    double const n = blocks * each, at = turned + 2 * std::numbers::pi * static_cast<double>(b * each + i) / n;
    return c == 0 ? std::cos(at) : std::sin(at) * (c == 1 ? 0.6 : 0.8);
  }
};
// What the others of the polygon attract a body by, to the centre.
double to_the_centre() {
  double sum = 0;
  for (index_t k = 1; k < blocks * each; ++k) {
    double const s = std::sin(std::numbers::pi * static_cast<double>(k) / (blocks * each));
    sum += 2 * s * s / std::pow(4 * s * s + attraction{}.softening, 1.5);
  }
  return sum;
}

int main() {
  return run_program("nbody", [] {
    device_mesh<ring> const m(MPI_COMM_WORLD);
    int const steps = 100;
    double const dt = 1e-3, turn = std::acos(1 - dt * dt * to_the_centre() / 2);  // of one step, exactly
    auto const at = [&](int t) { return generate<double, bodies>(m, {blocks, each, 3}, polygon{turn * t}); };
    auto before = at(-1), x = at(0);
    for (int t = 0; t < steps; ++t) {
      assign(before, step(x, before, dt));
      std::swap(before, x);
    }
    double const error = item(all_reduce(max(abs(x - at(steps)))));
    double const drift = item(all_reduce(max(abs(all_reduce(mean<0, 1>(x))))));
    if (m.rank() == 0)
      std::cout << "turned by " << turn * steps << " on " << m.sizes().ranks() << " ranks, largest error " << error
                << ", centre moved by " << drift << "\n";
    return error < 1e-10 && drift < 1e-12 ? 0 : 1;
  });
}
