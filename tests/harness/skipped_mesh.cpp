// skipped_mesh ROWS: rank 0 gathers a matrix of so many rows over all ranks. The others skip this call and destroy the mesh, without an error.
// Then they make a mesh of their own, and gather the same matrix there. MPI may give the communicator's number to theirs, while the
// messages of rank 0 are on their way to it. The status is 1 if a rank has wrong numbers.
#include <ashlar/ashlar.hpp>

#include <cstdio>
#include <cstdlib>
#include <optional>

using namespace ashlar;

namespace {

using line = mesh<axis<"x">>;

struct number_of {
  double first;
  ASHLAR_FUNCTION double operator()(index_t i, index_t j) const { return first + static_cast<double>(16 * i + j); }
};

// The number of wrong elements. Calls `sent` when this rank's messages are on their way.
template <class F>
index_t gathers(device_mesh<line> const& m, index_t rows, double first, F sent) {
  auto const x = generate<double, layout<"x", none>>(m, {rows, 16}, number_of{first});
  auto coming = all_gather_async<"x">(x);
  sent();
  auto const y = coming.wait();
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, y.view());
  index_t wrong = 0;
  for (index_t k = 0; k < 16 * rows; ++k) wrong += host.data()[k] != first + static_cast<double>(k);
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  environment const env(argc, argv);
  index_t const rows = std::atol(argv[1]);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &part);
  std::optional<device_mesh<line>> earlier;  // so that the next mesh of `part` takes the numbers of `all`
  if (rank != 0) earlier.emplace(part, std::array{ranks - 1});
  std::optional<device_mesh<line>> all(std::in_place, MPI_COMM_WORLD, std::array{ranks});
  index_t wrong = 0;
  try {
    if (rank == 0) {
      (void)gathers(*all, rows, 1e6, [] { MPI_Barrier(MPI_COMM_WORLD); });
      std::printf("rank 0: no error\n");
      return 1;
    }
    all.reset();
    MPI_Barrier(MPI_COMM_WORLD);
    wrong = gathers(device_mesh<line>(part, {ranks - 1}), rows, 0, [] {});
    std::printf("rank %d: %ld wrong numbers\n", rank, static_cast<long>(wrong));
  } catch (error const& e) {
    std::printf("rank %d: %s\n", rank, e.what());
  }
  return wrong != 0;
}
