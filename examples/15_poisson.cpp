// What you learn here: transforms of a field in three dimensions that ranks share, as one transform per dimension and two
// redistributions.
//   mpiexec -n 4 poisson
#include <ashlar/fft.hpp>
#include <ashlar/tensor.hpp>

#include <cmath>
#include <iostream>
#include <numbers>

using namespace ashlar;

// [transforms]
using grid = mesh<axis<"p">, axis<"q">>;
using pencils_z = layout<"p", "q", none>;  // dimension 2 is whole on each rank
using pencils_y = layout<"p", none, "q">;
using pencils_x = layout<none, "p", "q">;

constexpr auto forward = [](auto const& f) {
  auto const y = redistribute<pencils_y>(fft<2>(f));
  return fft<0>(redistribute<pencils_x>(fft<1>(y)));
};
constexpr auto backward = [](auto const& f) {
  auto const y = redistribute<pencils_y>(inverse_fft<0>(f));
  return inverse_fft<2>(redistribute<pencils_z>(inverse_fft<1>(y)));
};
// [transforms]

// [contract]
// On 2 x 2 ranks a transform is 2 collectives. A rank receives half of its 64^3 / 4 complex numbers in each.
constexpr auto one_transform = [](auto const& m) { (void)forward(make<double, pencils_z>(m, {64, 64, 64})); };
static_assert(dry_run(grid{{2, 2}}, one_transform).count(collective::all_to_all) == 2);
static_assert(dry_run(grid{{2, 2}}, one_transform).count() == 2);
static_assert(dry_run(grid{{2, 2}}, one_transform).bytes_per_rank() == 2 * 64 * 64 * 64 / 4 / 2 * 16);
// [contract]

// -laplace u = f on the periodic cube of edge 2 pi.
struct solution {
  double step;  // 2 pi / n
  bool laplacian;
  ASHLAR_FUNCTION double operator()(index_t i, index_t j, index_t k) const {
    double const x = step * static_cast<double>(i), y = step * static_cast<double>(j),
                 z = step * static_cast<double>(k);
    double const slow = std::sin(x) * std::cos(2 * y) * std::sin(3 * z), fast = std::cos(4 * x - 2 * y + 5 * z);
    return laplacian ? (1 + 4 + 9) * slow + (16 + 4 + 25) * fast : slow + fast;
  }
};

// [green]
struct green {
  double n;
  ASHLAR_FUNCTION double squared(index_t i) const {
    double const k = static_cast<double>(i), frequency = 2 * k < n ? k : k - n;
    return frequency * frequency;
  }
  ASHLAR_FUNCTION double operator()(index_t i, index_t j, index_t k) const {
    double const square = squared(i) + squared(j) + squared(k);
    return square == 0 ? 0 : 1 / square;
  }
};
// [green]

int main() {
  return run_program("poisson", [] {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    device_mesh<grid> const m(MPI_COMM_WORLD, {size % 2 == 0 ? size / 2 : size, size % 2 == 0 ? 2 : 1});
    index_t const n = 45;  // 3 * 3 * 5
    double const step = 2 * std::numbers::pi / n;
    // [solve]
    auto const f = generate<double, pencils_z>(m, {n, n, n}, solution{step, true});
    auto const inverse = generate<double, pencils_x>(m, {n, n, n}, green{n});
    auto const u = real(backward(forward(f) * inverse));
    // [solve]
    auto const exact = generate<double, pencils_z>(m, {n, n, n}, solution{step, false});
    double const error = item(all_reduce(max(abs(u - exact))));
    if (m.rank() == 0)
      std::cout << "solved for " << n << "^3 points on " << size << " ranks, largest error " << error << "\n";
    return error < 1e-13 ? 0 : 1;
  });
}
