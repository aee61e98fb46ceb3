// All processes, for tests in which they do not call the same.
#pragma once
#include <mpi.h>

namespace ashlar::test {

/// MPI_COMM_WORLD's ranks in a communicator of their own: what some of them leave out on its meshes they have not left out
/// on others.
class own_world {
 public:
  own_world() { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
  own_world(own_world const&) = delete;
  own_world& operator=(own_world const&) = delete;
  ~own_world() { MPI_Comm_free(&comm_); }
  operator MPI_Comm() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace ashlar::test
