// A training program that ends badly. By --seed 1 rank 1 alone throws an exception that is none of the library's. By --seed 3 one of 4 ranks
// has another shard than its replica. Else all ranks throw.
#include "support/options.hpp"

#include <stdexcept>

using grid = ashlar::mesh<ashlar::axis<"data">, ashlar::axis<"model">>;
struct columns {
  int rank;
  KOKKOS_FUNCTION double operator()(ashlar::index_t i, ashlar::index_t j) const {
    return static_cast<double>(i + j) + (rank == 3 ? 1 : 0);
  }
};
struct element {
  KOKKOS_FUNCTION double operator()(ashlar::index_t i) const { return static_cast<double>(i); }
};

examples::program const about("start", "Ends badly.", {"data"}, {}, {{"batch", "1"}});

int run(examples::options const& o) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (o.seed.value == 3) {
    ashlar::device_mesh<grid> const m(MPI_COMM_WORLD, {2, 2});
    ashlar::training::require_equal_replicas(
        m, std::tuple(ashlar::generate<double, ashlar::layout<ashlar::none, "model">>(m, {4, 4}, columns{rank}),
                      ashlar::generate<double, ashlar::layout<ashlar::none>>(m, {4}, element{})));
  }
  if (o.seed.value != 1) throw ashlar::error("all ranks say so");
  if (rank == 1) throw std::out_of_range("no such example");
  return 0;
}

int main(int argc, char** argv) { return examples::start(argc, argv, about, run); }
