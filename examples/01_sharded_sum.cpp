// What you learn here: the smallest program. A vector is sharded over all ranks; its sum is one message.
//   mpiexec -n 4 sharded_sum
// [program]
#include <ashlar/tensor.hpp>
#include <cstdio>
using namespace ashlar;
using grid = mesh<axis<"data">>;

int main(int argc, char** argv) {
  environment const env(argc, argv);
  device_mesh<grid> const m(MPI_COMM_WORLD);
  auto x = generate<double, layout<"data">>(
      m, {1000}, KOKKOS_LAMBDA(index_t i) { return static_cast<double>(i); });
  auto s = sum(x);             // partial<layout<>, "data">: each rank has one term, nothing was sent
  auto total = all_reduce(s);  // layout<>: the one message
  if (m.rank() == 0) std::printf("sum of 0 to 999 on %d ranks: %.0f\n", m.size(), item(total));
  return item(total) == 999 * 1000 / 2 ? 0 : 1;
}
