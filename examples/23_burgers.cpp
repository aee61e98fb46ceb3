// What you learn here: the adjoint of a simulation. A nonlinear stencil states its slope; the gradient with respect to the
// first field follows, and sends halo cells back to their owners.
//   mpiexec -n 4 burgers
#include <ashlar/autodiff/autodiff.hpp>
#include <ashlar/tensor.hpp>

#include <cmath>
#include <iostream>
#include <numbers>

using namespace ashlar;

using line = mesh<axis<"x">>;
using field = layout<halo("x", 1, boundary::periodic)>;
constexpr int steps = 60;

// [stencil]
// u_t + (u^2 / 2)_x = nu u_xx: what leaves a cell enters its neighbour.
struct burgers {
  static constexpr auto reach = star(1);
  double r = 0.4, nu = 0.2;  // of the time step, over the cell's width and its square
  ASHLAR_FUNCTION constexpr double operator()(auto const& u) const {
    return u(0) - r * (u(1) * u(1) - u(-1) * u(-1)) / 4 + nu * (u(1) - 2 * u(0) + u(-1));
  }
  template <int>
  ASHLAR_FUNCTION constexpr double slope(cell_index<1> const& offset, auto const& u) const {
    if (offset[0] == 0) return 1 - 2 * nu;
    return offset[0] > 0 ? nu - r * u(1) / 2 : nu + r * u(-1) / 2;
  }
};
constexpr auto simulate = [](auto const& first) {
  auto u = stencil(burgers{}, exchange_halo_async(first));
  for (int t = 1; t < steps; ++t) u = stencil(burgers{}, exchange_halo_async(u));
  return u;
};
// [stencil]
// [loss]
constexpr auto loss = [](auto const& first, auto const& wanted) {
  auto const d = simulate(first) - wanted;
  return 0.5 * all_reduce(sum(d * d));
};
constexpr auto gradient = [](auto const& first, auto const& wanted) {
  return value_and_grad<none>([&](auto const& u) { return loss(u, wanted); })(first);
};
// [loss]

// [contract]
// Each step is an exchange of two cells, and backward a sum of two.
constexpr auto once = [](auto const& m) {
  auto const u = make<double, field>(m, {1000});
  (void)gradient(u, u);
};
constexpr auto cost = dry_run(line{{4}}, once);
static_assert(cost.count(collective::exchange_halo) == steps && cost.count(collective::add_halo) == steps);
static_assert(cost.bytes_per_rank(collective::add_halo) == cost.bytes_per_rank(collective::exchange_halo));
static_assert(cost.bytes_per_rank(collective::exchange_halo) == steps * 2 * 8);
// [contract]

struct wave {
  double n, shift;
  ASHLAR_FUNCTION double operator()(index_t i) const {
    return 0.5 + 0.5 * std::sin(2 * std::numbers::pi * (static_cast<double>(i) / n - shift));
  }
};

int main() {
  return run_program("burgers", [] {
    device_mesh<line> const m(MPI_COMM_WORLD);
    index_t const n = 199;  // divides by nothing
    auto const at = [&](double shift) { return generate<double, field>(m, {n}, wave{n, shift}); };
    auto const number = [](auto const& x) { return item(all_reduce(sum(x))); };
    auto const wanted = simulate(at(0.05));
    auto u = at(0);
    // The sum of the field stays, so that its derivative with respect to each cell is 1.
    double const lost = std::abs(number(simulate(u)) - number(u));
    auto const [total, ones] =
        value_and_grad<none>([](auto const& first) { return all_reduce(sum(simulate(first))); })(u);
    double const not_one = item(all_reduce(max(abs(ones - 1.))));
    // [check]
    // The gradient along a direction is the difference quotient.
    auto const [value, g] = gradient(u, wanted);
    auto const direction = at(0.3);
    double const h = 1e-4, slope = number(g * direction);
    double const quotient = item(loss(u + h * direction, wanted) - loss(u - h * direction, wanted)) / (2 * h);
    // [check]
    // [descent]
    // The wave that becomes the wanted one: steepest descent comes closer to it.
    for (int k = 0; k < 40; ++k) u -= 0.5 * gradient(u, wanted).gradients;
    // [descent]
    double const before = item(value), after = item(loss(u, wanted));
    if (m.rank() == 0)
      std::cout << "sum lost " << lost << ", derivative of the sum 1 + " << not_one << ", slope " << slope
                << " beside the quotient " << quotient << ", loss " << before << " to " << after << ", on "
                << m.sizes().ranks() << " ranks\n";
    return lost < 1e-11 && not_one < 1e-12 && std::abs(slope - quotient) < 1e-7 * std::abs(slope) &&
                   after < 0.1 * before
               ? 0
               : 1;
  });
}
