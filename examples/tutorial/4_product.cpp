// Step 4 of the tutorial: the product of two matrices that two axes of the mesh shard.
// [program]
#include <ashlar/blas.hpp>
#include <ashlar/plan/print_ledger.hpp>

#include <iostream>

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
using blocks = layout<"p", "q">;

struct first {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>(i + j); }
};
struct second {
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return i == j ? 2 : 0; }
};

int main(int argc, char** argv) {
  environment const env(argc, argv);
  device_mesh<grid> const m(MPI_COMM_WORLD);
  recorder<grid> notes;
  m.record(&notes);
  auto a = generate<double, blocks>(m, {300, 200}, first{});
  auto b = generate<double, blocks>(m, {200, 200}, second{});  // twice the identity
  auto c = matmul(a, b, to_layout<blocks>);
  m.record(nullptr);

  double const error = item(all_reduce(max(abs(c - 2. * a))));
  if (m.rank() == 0)
    std::cout << "on " << m.shape().size<"p">() << " x " << m.shape().size<"q">() << " ranks:\n"
              << notes.log << "error " << error << "\n";
  return error == 0 ? 0 : 1;
}
