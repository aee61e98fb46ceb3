// Fields in HDF5 files, which need no BLAS.
#include <ashlar/hdf5.hpp>
#include <ashlar/tensor.hpp>

int main() {
  using namespace ashlar;
  using namespace ashlar::io;
  mpi_environment const mpi;
  Kokkos::ScopeGuard const kokkos;
  device_mesh<mesh<axis<"x">>> const m(MPI_COMM_SELF, {1});
  save_hdf5(arange<double, layout<"x">>(m, 5), "field.h5", "u");
  return load_hdf5<double, layout<none>>(m, "field.h5", "u").extents()[0] == 5 ? 0 : 1;
}
