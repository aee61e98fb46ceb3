// A training program that ends badly: by --seed 1 on rank 1 alone, by an exception that is none of the library's, by --seed 3 on 4 ranks of
// which one has another shard than its replica, else on all ranks.
#include "training.hpp"

#include <stdexcept>

using grid = ashlar::mesh<ashlar::axis<"data">, ashlar::axis<"model">>;
struct columns {
  int rank;
  KOKKOS_FUNCTION double operator()(ashlar::index_t i, ashlar::index_t j) const { return static_cast<double>(i + j) + (rank == 3 ? 1 : 0); }
};
struct element {
  KOKKOS_FUNCTION double operator()(ashlar::index_t i) const { return static_cast<double>(i); }
};
template <class A, class B>
struct parameters {
  A kernel;
  B bias;
  static constexpr auto names = ashlar::names("kernel", "bias");
};

constexpr program about{.name = "start", .purpose = "Ends badly.", .batch = "1", .digits = false};

int run(options const& o) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (o.seed == 3) {
    ashlar::device_mesh<grid> const m(MPI_COMM_WORLD, {2, 2});
    check_shards(m, ashlar::build<parameters>(ashlar::generate<double, ashlar::layout<ashlar::none, "model">>(m, {4, 4}, columns{rank}),
                                              ashlar::generate<double, ashlar::layout<ashlar::none>>(m, {4}, element{})));
  }
  if (o.seed != 1) throw ashlar::error("all ranks say so");
  if (rank == 1) throw std::out_of_range("no such example");
  return 0;
}

int main(int argc, char** argv) { return start(argc, argv, about, run); }
