// Uses the transforms, and so both libraries of FFTW.
#include <ashlar/tensor/fft/fft.hpp>
#include <ashlar/tensor/environment.hpp>

int main() {
  using namespace ashlar;
  mpi_environment const mpi;
  Kokkos::ScopeGuard const kokkos;
  device_mesh<mesh<axis<"x">>> const m(MPI_COMM_SELF, {1});
  auto const transform = [&]<class T>(T) { return rfft<0>(arange<T, layout<none>>(m, 3)).local_size() == 2; };
  return transform(1.) && transform(1.F) ? 0 : 1;
}
