// What you learn here: a spectral simulation. Derivatives are products with wave numbers, products are formed in space, and
// the terms of a step are transforms and redistributions that the compiler counts.
//   mpiexec -n 4 navier_stokes
#include <ashlar/fft.hpp>
#include <ashlar/tensor.hpp>
#include <cmath>
#include <iostream>
#include <numbers>
using namespace ashlar;
using complex = Kokkos::complex<double>;
using line = mesh<axis<"p">>;
using in_space = layout<"p", none>;
using spectral = layout<none, "p">;  // coefficients

constexpr auto coefficients = [](auto const& f) { return fft<0>(redistribute<spectral>(fft<1>(f))); };
constexpr auto field = [](auto const& c) { return real(inverse_fft<1>(redistribute<in_space>(inverse_fft<0>(c)))); };

// Wave numbers from n / 3 on are 0: a product of two fields then has no coefficient that belongs to another one.
struct wave_numbers {
  index_t n;
  ASHLAR_FUNCTION double of(index_t i) const {
    index_t const k = 2 * i < n ? i : i - n;
    return 3 * k < n && 3 * k > -n ? static_cast<double>(k) : 0;
  }
};
template <int D>
struct derivative : wave_numbers {
  ASHLAR_FUNCTION complex operator()(index_t i, index_t j) const { return {0, of(D == 0 ? i : j)}; }
};
struct minus_laplace : wave_numbers {
  bool inverse;
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const {
    double const s = of(i) * of(i) + of(j) * of(j);
    return inverse && s != 0 ? 1 / s : s;
  }
};
// d w / d t = -(u d/dx + v d/dy) w + viscosity laplace w, where (u, v) = (d psi / dy, -d psi / dx) and -laplace psi = w.
template <class C, class R>
struct flow {
  C x, y;         // d/dx, d/dy
  R k2, inverse;  // -laplace and its inverse
  constexpr auto advection(auto const& w) const {
    auto const psi = w * inverse;
    return coefficients(field(x * psi) * field(y * w) - field(y * psi) * field(x * w)) * (k2 * inverse);
  }
  constexpr auto rate(auto const& w, double viscosity) const { return advection(w) - viscosity * (k2 * w); }
  constexpr C step(C const& w, double viscosity, double dt) const {  // Runge and Kutta, of order 4
    C const a = rate(w, viscosity), b = rate(w + (dt / 2) * a, viscosity), c = rate(w + (dt / 2) * b, viscosity),
            d = rate(w + dt * c, viscosity);
    return w + (dt / 6) * (a + 2 * (b + c) + d);
  }
};
template <class C, class R>
flow(C, C, R, R) -> flow<C, R>;
// [contract]
constexpr auto one_advection = [](auto const& m) {
  auto const c = make<complex, spectral>(m, {64, 64});
  (void)flow{c, c, real(c), real(c)}.advection(c);
};
static_assert(dry_run(line{{4}}, one_advection).count(collective::all_to_all) == 5);  // one for each transform
// [contract]

// Vorticities in space: cells that decay as they are, and waves that interact.
struct vortices {
  double step;  // 2 pi / n
  bool waves;
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const {
    double const x = step * static_cast<double>(i), y = step * static_cast<double>(j),
                 cells = 2 * std::cos(x) * std::cos(y);
    return waves ? cells + std::sin(3 * x - 2 * y) + std::cos(5 * y + x) / 2 + std::sin(4 * x) / 3 : cells;
  }
};

int main() {
  return run_program("navier_stokes", [] {
    device_mesh<line> const m(MPI_COMM_WORLD);
    index_t const n = 48;
    double const h = 2 * std::numbers::pi / static_cast<double>(n), viscosity = 0.1, dt = 0.02;
    flow const f{generate<complex, spectral>(m, {n, n}, derivative<0>{n}),
                 generate<complex, spectral>(m, {n, n}, derivative<1>{n}),
                 generate<double, spectral>(m, {n, n}, minus_laplace{{n}, false}),
                 generate<double, spectral>(m, {n, n}, minus_laplace{{n}, true})};
    auto const integral = [&](auto const& a) { return item(all_reduce(sum(a))) * h * h; };
    // Advection changes neither energy nor enstrophy; cells decay by exp(-2 viscosity t).
    auto const waves = coefficients(generate<double, in_space>(m, {n, n}, vortices{h, true}));
    auto const moved = field(f.advection(waves));
    double const enstrophy = integral(field(waves) * moved), energy = integral(field(waves * f.inverse) * moved);
    double const bound = 1e-12 * std::sqrt(integral(field(waves) * field(waves)) * integral(moved * moved));
    auto const cells = generate<double, in_space>(m, {n, n}, vortices{h, false});
    auto w = coefficients(cells);
    for (int s = 0; s < 20; ++s) w = f.step(w, viscosity, dt);
    double const error = item(all_reduce(max(abs(field(w) - std::exp(-2 * viscosity * 20 * dt) * cells))));
    if (m.rank() == 0) std::cout << "decays with an error of " << error << " on " << m.size() << " ranks\n";
    return std::abs(energy) < bound && std::abs(enstrophy) < bound && bound > 1e-12 && error < 1e-10 ? 0 : 1;
  });
}
