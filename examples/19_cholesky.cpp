// What you learn here: a dense system that ranks share, solved by a Cholesky factor. ScaLAPACK reads the block-cyclic shards
// where they are, and the ledger shows what is moved besides.
//   mpiexec -n 4 cholesky
#include <ashlar/blas.hpp>
#include <ashlar/linalg/cholesky.hpp>
#include <ashlar/linalg/norm.hpp>
#include <ashlar/linalg/triangular_solve.hpp>

#include <cmath>
#include <iostream>

using namespace ashlar;

// [layouts]
using grid = mesh<axis<"p">, axis<"q">>;
using blocks = layout<cyclic("p", 64), cyclic("q", 64)>;  // each rank has a share of what is left in every step
// [layouts]

// [solve]
using linalg::form, linalg::triangle;

// Solves A x = b for a positive definite matrix A = L L^H.
constexpr auto solved = [](auto const& a, auto const& b) {
  auto const l = linalg::cholesky(a);
  auto const y = linalg::triangular_solve(l, b);
  return linalg::triangular_solve(l, y, triangle::lower, form::adjoint);
};
// [solve]

// [contract]
// Right-hand sides in the layout of the matrix: three calls of ScaLAPACK, and nothing is redistributed or transposed.
constexpr auto one_system = [](auto const& m) {
  (void)solved(make<double, blocks>(m, {4096, 4096}), make<double, blocks>(m, {4096, 100}));
};
static_assert(dry_run(grid{{2, 2}}, one_system).count(collective::solver, axes("p", "q")) == 3);
static_assert(dry_run(grid{{2, 2}}, one_system).count() == 3);
// [contract]

// The kernel exp(-|i - j| / 10) of a Gaussian process, with noise on the diagonal. It is positive definite.
struct covariance {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const {
    return std::exp(-std::abs(static_cast<double>(i - j)) / 10) + (i == j ? 0.1 : 0);
  }
};
struct observations {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const {
    return std::sin(0.05 * static_cast<double>(i) * static_cast<double>(j + 1));
  }
};

int main() {
  return run_program("cholesky", [] {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    device_mesh<grid> const m(MPI_COMM_WORLD, {size % 2 == 0 ? size / 2 : size, size % 2 == 0 ? 2 : 1});
    index_t const n = 500;
    // [system]
    auto const a = generate<double, blocks>(m, {n, n}, covariance{});
    auto const b = generate<double, blocks>(m, {n, 3}, observations{});
    auto const x = solved(a, b);
    double const error = item(linalg::norm(matmul(a, x, to_layout<blocks>) - b)) / item(linalg::norm(b));
    // [system]
    if (m.rank() == 0) std::cout << "solved " << n << " equations on " << size << " ranks, residual " << error << "\n";
    return error < 1e-13 ? 0 : 1;
  });
}
