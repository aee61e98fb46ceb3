// A communicator of all processes, for tests in which they call different collectives.
#pragma once
#include <mpi.h>

namespace ashlar::test {

/// A duplicate of MPI_COMM_WORLD. If some ranks omit a collective on its meshes, the meshes of other communicators are
/// not affected.
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
