// What programs by hand need first: the indices of a rank, and MPI and Kokkos at work.
#pragma once
#include <mpi.h>
#include <Kokkos_Core.hpp>

using space = Kokkos::DefaultHostExecutionSpace;

// The indices [begin, end) of part `at` of `parts`.
struct part {
  int begin, end;
  part(int n, int parts, int at)
      : begin(static_cast<int>(long{n} * at / parts)), end(static_cast<int>(long{n} * (at + 1) / parts)) {}
  int size() const { return end - begin; }
};

struct ranks_of {
  int size = 1, rank = 0;
  explicit ranks_of(MPI_Comm comm) {
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
  }
};

inline int run_with_kokkos(int argc, char** argv, int (*run)()) {
  MPI_Init(&argc, &argv);
  Kokkos::initialize(argc, argv);
  int const failed = run();
  Kokkos::finalize();
  MPI_Finalize();
  return failed;
}
