// What you learn here: products of matrices in any layouts, and what they communicate. Squaring a matrix again and again
// leaves its largest eigenvalue: the power iteration in few steps.
//   mpiexec -n 4 products
#include <ashlar/blas.hpp>

#include <cmath>
#include <iostream>
#include <numbers>

using namespace ashlar;

// [layouts]
using grid = mesh<axis<"p">, axis<"q">>;
using blocks = layout<"p", "q">;
using cyclic_blocks = layout<cyclic("p", 32), cyclic("q", 32)>;
// [layouts]

// [square]
constexpr auto squared = [](auto const& a) { return matmul(a, a, to_layout<blocks>.by_types()); };
// [square]

// [contract]
// On 2 x 2 ranks a product gathers the rows of one operand and the columns of the other, whatever the extents.
constexpr auto one_square = [](auto const& m) { (void)squared(make<double, blocks>(m, {4096, 4096})); };
static_assert(!dry_run(grid{{2, 2}}, one_square).depends_on_extents());
static_assert(dry_run(grid{{2, 2}}, one_square).count() == 2);
static_assert(dry_run(grid{{2, 2}}, one_square).count(collective::all_gather, "p") == 1);
static_assert(dry_run(grid{{2, 2}}, one_square).bytes_per_rank() == 2 * (2048 * 2048) * 8);
// [contract]

// The matrix of second differences: its eigenvalues are 2 + 2 cos(k pi / (n + 1)).
struct second_differences {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const {
    return i == j ? 2 : i - j == 1 || j - i == 1 ? -1 : 0;
  }
};
struct alternating {
  ASHLAR_FUNCTION double operator()(index_t i) const { return i % 2 == 0 ? 1. : -0.5; }
};

int main() {
  return run_program("products", [] {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    device_mesh<grid> const m(MPI_COMM_WORLD, {size % 2 == 0 ? size / 2 : size, size % 2 == 0 ? 2 : 1});
    index_t const n = 257;  // divides by nothing
    // [power]
    auto const a = generate<double, cyclic_blocks>(m, {n, n}, second_differences{});
    auto power = matmul(a, a, to_layout<blocks>);  // of any layouts
    for (int k = 1; k < 20; ++k) power = squared(power * (1 / item(all_reduce(max(abs(power))))));
    // [power]
    // [quotient]
    auto const x = generate<double, layout<none>>(m, {n}, alternating{});
    auto const v = matmul(power, x, to_layout<layout<"p">>);
    auto const w = matmul(a, v, to_layout<layout<"q">>);
    double const value =
        item(einsum<"i,i->">(v, w, to_layout<layout<>>)) / item(einsum<"i,i->">(v, v, to_layout<layout<>>));
    // [quotient]
    double const error = std::abs(value - 2 - 2 * std::cos(std::numbers::pi / static_cast<double>(n + 1)));
    if (m.rank() == 0)
      std::cout << "largest eigenvalue " << value << " on " << size << " ranks, error " << error << "\n";
    return error < 1e-12 ? 0 : 1;
  });
}
