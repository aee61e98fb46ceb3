// A training program that ends badly: by --seed 1 on rank 1 alone, by an exception that is none of the library's, else on all ranks.
#include "training.hpp"

#include <stdexcept>

constexpr program about{.name = "start", .purpose = "Ends badly.", .batch = "1", .digits = false};

int run(options const& o) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (o.seed != 1) throw ashlar::error("all ranks say so");
  if (rank == 1) throw std::out_of_range("no such example");
  return 0;
}

int main(int argc, char** argv) { return start(argc, argv, about, run); }
