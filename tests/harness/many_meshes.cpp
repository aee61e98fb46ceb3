// many_meshes N: makes N meshes, from two communicators of the program in turn, while the first of them lives. Each of the others
// ends before the next but one begins. MPICH has 2048 communicators: the status is 1 if a call fails.
#include <ashlar/ashlar.hpp>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

using namespace ashlar;

namespace {

using grid = mesh<axis<"x">, axis<"y">>;

void make_and_use(MPI_Comm const (&from)[2], int n) {
  int ranks = 0, rank = 0;
  MPI_Comm_size(from[0], &ranks);
  MPI_Comm_rank(from[0], &rank);
  int const rows = ranks % 2 == 0 ? 2 : 1, sizes[]{rows, ranks / rows};
  device_mesh<grid> const first(from[0], sizes);
  std::optional<device_mesh<grid>> last;
  for (int i = 0; i < n; ++i) {
    device_mesh<grid> const m(from[i % 2], sizes);
    int sum = rank;
    comm::all_reduce<op::sum>(i % 16 == 0 ? first.communicator() : m.communicator(), &sum, 1);
    if (sum != ranks * (ranks - 1) / 2) throw error("a sum of ranks is " + std::to_string(sum));
    last = m;
  }
}

}  // namespace

int main(int argc, char** argv) {
  environment const env(argc, argv);
  MPI_Comm from[2]{MPI_COMM_WORLD, MPI_COMM_NULL};
  MPI_Comm_dup(MPI_COMM_WORLD, &from[1]);
  try {
    make_and_use(from, std::atoi(argv[1]));
  } catch (error const& e) {
    std::printf("%s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_free(&from[1]);
  return 0;
}
