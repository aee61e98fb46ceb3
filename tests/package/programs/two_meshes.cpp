// A program with its own MPI_Init, two meshes and two source files.
#include "two_meshes.hpp"

#include <cstdio>

using namespace ashlar;

namespace {
bool run() {
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const x = generate<double, layout<"all", none>>(
      m, {10, 3}, KOKKOS_LAMBDA(index_t i, index_t j) { return double(i * 3 + j); });
  bool right = sums_of_columns(x) == std::vector<double>{135, 145, 155};

  // The other mesh has the even or the odd ranks, on a communicator of the program's.
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, m.rank() % 2, m.rank(), &part);
  {
    device_mesh<half> const h(part);
    auto const y = generate<double, layout<"half">>(
        h, {9}, KOKKOS_LAMBDA(index_t i) { return double(i); });
    double const number = m.rank() % 2 == 0 ? 2 : 3;
    right = right && item(all_reduce(sum(y * number))) == number * 36 && h.size() == (m.size() + 1 - m.rank() % 2) / 2;
  }
  MPI_Comm_free(&part);

  // The program's own messages go on beside the meshes.
  int me = right, all = 0;
  MPI_Allreduce(&me, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (m.rank() == 0) std::printf("two_meshes on %d ranks: %s\n", m.size(), all ? "right" : "wrong");
  return all != 0;
}
}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Kokkos::initialize(argc, argv);
  bool const right = run();  // tensors and meshes end before MPI
  Kokkos::finalize();
  MPI_Finalize();
  return right ? 0 : 1;
}
