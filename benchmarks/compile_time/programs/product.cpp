// The product of two matrices that two axes of the mesh shard.
#include <ashlar/blas.hpp>

#include <cstdio>

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
using blocks = layout<"p", "q">;

struct first {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>(i + j); }
};
struct second {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return i == j ? 2 : 0; }
};

int main() {
  return run_program("product", [] {
    device_mesh<grid> const m(MPI_COMM_WORLD);
    auto const a = generate<double, blocks>(m, {300, 200}, first{});
    auto const b = generate<double, blocks>(m, {200, 200}, second{});  // twice the identity
    auto const c = matmul(a, b, to_layout<blocks>);
    double const error = item(all_reduce(max(abs(c - 2. * a)))), total = item(all_reduce(sum(c)));
    if (m.rank() == 0) std::printf("sum %.0f, error %g\n", total, error);
    return error == 0 ? 0 : 1;
  });
}
