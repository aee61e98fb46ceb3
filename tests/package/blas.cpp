// A product, which needs no zlib.
#include <ashlar/blas.hpp>

int main() {
  using namespace ashlar;
  mpi_environment const mpi;
  Kokkos::ScopeGuard const kokkos;
  device_mesh<mesh<axis<"x">>> const m(MPI_COMM_SELF, {1});
  auto const a = make<double, layout<none, none>>(m, {2, 3});
  return einsum<"ij,kj->ik">(a, a).local_size() == 4 ? 0 : 1;
}
