// Prints the MPI that it was compiled with and the number of ranks.
#include <mpi.h>
#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#if defined(OMPI_MAJOR_VERSION)
  char const* name = "openmpi";
#elif defined(MPICH_VERSION)
  char const* name = "mpich";
#else
  char const* name = "mpi";
#endif
  if (rank == 0) std::printf("%s of %d ranks\n", name, ranks);
  MPI_Finalize();
}
