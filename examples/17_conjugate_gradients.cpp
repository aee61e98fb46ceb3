// What you learn here: an iterative solver on a grid that ranks share. Vectors are tensors with halos; an iteration is
// one exchange and two all-reduces.
//   mpiexec -n 4 conjugate_gradients
#include <ashlar/tensor.hpp>

#include <cmath>
#include <iostream>

using namespace ashlar;

// [layout]
using grid = mesh<axis<"z">, axis<"y">, axis<"x">>;
using field = layout<halo("z", 1), halo("y", 1), halo("x", 1)>;
// [layout]

// [operator]
// The matrix of the HPCG benchmark: 26 on the diagonal, and -1 for each neighbour, corners included.
struct poisson27 {
  static constexpr auto reach = box(1, 1, 1);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const {
    auto const line = [&](int i, int j) { return u(i, j, -1) + u(i, j, 0) + u(i, j, 1); };
    auto const plane = [&](int i) { return line(i, -1) + line(i, 0) + line(i, 1); };
    return 27 * u(0, 0, 0) - (plane(-1) + plane(0) + plane(1));
  }
};
// [operator]

// [iteration]
// Each pass over memory reduces what it writes: q, and the residual r.
constexpr auto squares = [](auto const& r) { return sum(r * r); };
constexpr auto iteration = [](auto& x, auto& r, auto& p, auto& rr) {
  auto const dot_p = [&](auto const& q) { return sum(p * q); };
  auto const [q, pq] = stencil_and_reduce(poisson27{}, dot_p, exchange_halo_async(p));
  auto const a = rr / all_reduce(pq);  // scalars stay tensors, so the dry run can follow
  x += a * p;
  auto const next = all_reduce(assign_and_reduce(r, r - a * q, squares));
  assign(p, [&](auto const& old) { return r + (next / rr) * old; });
  rr = next;
};
// [iteration]

// [contract]
constexpr auto one_iteration = [](auto const& m) {
  auto x = make<double, field>(m, {256, 256, 256}), r = x, p = x;
  auto rr = make<double, layout<>>(m);
  iteration(x, r, p, rr);
};
constexpr auto cost = dry_run(grid{{2, 2, 2}}, one_iteration);
static_assert(cost.count(collective::exchange_halo) == 1);
static_assert(cost.count(collective::all_reduce) == 2);
static_assert(cost.bytes_per_rank(collective::exchange_halo) == (129 * 129 * 129 - 128 * 128 * 128) * 8);
// [contract]

struct history {
  std::vector<double> residuals;
  double error;
};
// Solves A x = A 1 from x = 0. Returns the squares of the residuals, and the largest error of x.
history solve(device_mesh<grid> const& m, index_t n, int iterations) {
  // [solve]
  auto const solution = ones<double, field>(m, {n, n, n});
  auto x = zeros<double, field>(m, {n, n, n});
  auto r = stencil(poisson27{}, exchange_halo(solution));
  auto p = r;
  auto rr = all_reduce(squares(r));
  history h;
  for (int i = 0; i < iterations; ++i) {
    iteration(x, r, p, rr);
    h.residuals.push_back(item(rr));
  }
  h.error = item(all_reduce(max(abs(x - solution))));
  // [solve]
  return h;
}

int main() {
  return run_program("conjugate_gradients", [] {
    int size = 0, sizes[3]{};
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 3, sizes);
    index_t const n = 23;  // divides by nothing
    int const iterations = 25;
    device_mesh<grid> const m(MPI_COMM_WORLD, {sizes[0], sizes[1], sizes[2]}), alone(MPI_COMM_SELF, {1, 1, 1});
    history const found = solve(m, n, iterations), expected = solve(alone, n, iterations);
    double difference = 0;
    for (std::size_t i = 0; i < found.residuals.size(); ++i)
      difference = std::max(difference, std::abs(found.residuals[i] / expected.residuals[i] - 1));
    if (m.rank() == 0)
      std::cout << "residual " << std::sqrt(found.residuals.back()) << " and error " << found.error << " after "
                << iterations << " iterations on " << size << " ranks; residuals differ from one rank's by "
                << difference << "\n";
    return difference < 1e-12 && found.error < 1e-4 ? 0 : 1;
  });
}
