// rank_leaves HOW: after a first verb, rank 1 leaves main, or throws an error of its own, while the others go on; or it leaves
// before they make a mesh ("early").
#include <ashlar/ashlar.hpp>

#include <cstdio>
#include <string_view>

using namespace ashlar;

int main(int, char** argv) {
  environment const env;
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1 && std::string_view(argv[1]) == "early") return 0;
  try {
    device_mesh<mesh<axis<"x">>> const m(MPI_COMM_WORLD, {ranks});
    auto const x = make<float, layout<"x", none>>(m, {1000, 300});
    (void)materialize(all_gather<"x">(x));
    if (rank == 1 && std::string_view(argv[1]) == "leaves") return 0;
    if (rank == 1) throw error("an error of its own");
    (void)materialize(all_gather<"x">(x));
  } catch (error const& e) {
    std::printf("[rank %d] %s\n", rank, e.what());
    return 1;
  }
}
