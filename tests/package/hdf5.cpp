// Fields in HDF5 files, which need no BLAS.
#include <ashlar/hdf5.hpp>
#include <ashlar/tensor.hpp>

int main() {
  using namespace ashlar;
  using namespace ashlar::io;
  mpi_environment const mpi;
  Kokkos::ScopeGuard const kokkos;
  device_mesh<mesh<axis<"x">>> const m(MPI_COMM_SELF, {1});
  hdf5_file f(m, "field.h5", to_create);
  f.write("u", arange<double, layout<"x">>(m, 5));
  f.close();
  return hdf5_file(m, "field.h5").read<double, layout<none>>("u").extents()[0] == 5 ? 0 : 1;
}
