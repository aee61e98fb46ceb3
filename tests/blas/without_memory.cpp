// The first product of a process that can map no more memory: OpenBLAS has mapped its buffers before. Else it would repeat
// its mmap for ever.
#include "ashlar/ops/products/matmul.hpp"
#include "ashlar/tensor/environment.hpp"
#include "ashlar/tensor/tensor.hpp"

#include <sys/resource.h>
#include <unistd.h>
#include <cstdio>
#include <fstream>

using namespace ashlar;
using ring = mesh<axis<"p">>;
using by_rows = layout<"p", none>;

int main(int, char**) {
  environment const env;
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  device_mesh<ring> const m(MPI_COMM_WORLD, {ranks});
  index_t const n = 160;
  auto const a =
      generate<double, by_rows>(m, {n, n}, [] KOKKOS_FUNCTION(index_t i, index_t j) { return i == j ? 2. : 0.; });
  auto const b = generate<double, layout<none, none>>(
      m, {n, n}, [] KOKKOS_FUNCTION(index_t i, index_t j) { return static_cast<double>(i * n + j); });
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur =
      pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + (std::size_t{64} << 20);  // OpenBLAS maps 128 MiB
  if (pages == 0 || setrlimit(RLIMIT_AS, &limit) != 0) return 77;
  auto const c = gather_all(matmul(a, b, to_layout<by_rows>));
  for (index_t k = 0; k < n * n; ++k)
    if (c[static_cast<std::size_t>(k)] != 2. * static_cast<double>(k)) {
      std::printf("element %ld is %g\n", static_cast<long>(k), c[static_cast<std::size_t>(k)]);
      return 1;
    }
  return 0;
}
