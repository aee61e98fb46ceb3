// Checkpoints: a number comes back.
#include <ashlar/checkpoint.hpp>
#include <ashlar/tensor/environment.hpp>

int main() {
  using namespace ashlar;
  using namespace ashlar::io;
  mpi_environment const mpi;
  Kokkos::ScopeGuard const kokkos;
  communicator const c(MPI_COMM_SELF);
  long before = 7, after = 0;
  save_checkpoint(c, "run.h5", 3, checkpoint_part("number", before));
  return load_checkpoint(c, "run.h5", checkpoint_part("number", after)) == 3 && after == 7 ? 0 : 1;
}
