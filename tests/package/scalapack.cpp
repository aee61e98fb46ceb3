// Uses a solver, and so ScaLAPACK and LAPACK.
#include <ashlar/scalapack.hpp>
#include <ashlar/tensor/environment.hpp>

int main() {
  using namespace ashlar;
  mpi_environment const mpi;
  Kokkos::ScopeGuard const kokkos;
  device_mesh<mesh<axis<"p">>> const m(MPI_COMM_SELF, {1});
  auto a = make<double, layout<none, none>>(m, {1, 1});
  fill(a, 9);
  auto const l = linalg::cholesky(a);
  return l.view()(0, 0) == 3 ? 0 : 1;
}
