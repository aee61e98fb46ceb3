// skipped_mesh ROWS ROUNDS: one rank gathers a matrix of ROWS rows over all ranks, and has an error. The others skip this call
// and destroy the mesh, without an error. Then they make a mesh of their own, and gather the same matrix there. If MPI gave the
// communicator's number to theirs, messages of the first rank would arrive there. At last all ranks make a mesh and gather, and
// begin the next round. The status is 1 if a rank has wrong numbers, or an error that is not its own.
#include <ashlar/ashlar.hpp>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

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

struct ranks_of_run {
  int rank = 0, ranks = 0;
};

// One round, in which `sender` alone gathers. Returns true if all went as it should on this rank.
bool plays(ranks_of_run const& r, index_t rows, int sender) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, r.rank == sender, r.rank, &part);
  std::optional<device_mesh<line>> earlier;  // so that the next mesh of `part` would take the numbers of `all`
  if (r.rank != sender) earlier.emplace(part, std::array{r.ranks - 1});
  std::optional<device_mesh<line>> all(std::in_place, MPI_COMM_WORLD, std::array{r.ranks});
  index_t wrong = 0;
  std::string said;
  try {
    if (r.rank == sender) {
      wrong = gathers(*all, rows, 1e6, [] { MPI_Barrier(MPI_COMM_WORLD); });
    } else {
      all.reset();
      MPI_Barrier(MPI_COMM_WORLD);
      wrong = gathers(device_mesh<line>(part, {r.ranks - 1}), rows, 0, [] {});
    }
  } catch (error const& e) {
    said = e.what();
  }
  all.reset();
  earlier.reset();
  MPI_Comm_free(&part);
  wrong += gathers(device_mesh<line>(MPI_COMM_WORLD, {r.ranks}), rows, 5, [] {});
  bool const right = wrong == 0 && said.empty() == (r.rank != sender);
  if (!right)
    std::printf("rank %d, which %s: %ld wrong numbers, error: '%s'\n", r.rank,
                r.rank == sender ? "gathers" : "skips the call", static_cast<long>(wrong), said.c_str());
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  environment const env(argc, argv);
  index_t const rows = std::atol(argv[1]);
  int const rounds = std::atoi(argv[2]);
  comm::tuned.patience = 0.05;
  ranks_of_run r;
  MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &r.ranks);
  for (int round = 0; round < rounds; ++round)
    if (!plays(r, rows, round % 2 == 0 ? r.ranks - 1 : 0)) return 1;
  if (r.rank == 0) std::printf("%d rounds\n", rounds);
  return 0;
}
