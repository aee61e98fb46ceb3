// threads_of_a_rank [NUMBER]: the threads of Kokkos on the host. Without a number they are this rank's share of the node's cores,
// and processes that this one starts do not get it as a variable.
#include <ashlar/ashlar.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace ashlar;

int main(int argc, char** argv) {
  environment env(argc, argv);
  int const found = Kokkos::DefaultHostExecutionSpace().concurrency();
  if (argc > 1) {
    int const expected = std::atoi(argv[1]);
    if (found == expected) return 0;
    std::printf("Kokkos has %d threads, and not %d\n", found, expected);
    return 1;
  }
  // A launcher may bind ranks to parts of the node.
  comm_detail::core_set const mine = comm_detail::own_cores();
  comm_detail::core_set of_all;
  MPI_Allreduce(&mine, &of_all, sizeof mine, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int const cores = static_cast<int>(mine.count());
  int const expected = std::clamp(static_cast<int>(of_all.count()) / ranks, 1, cores);
  bool const left = std::getenv("KOKKOS_NUM_THREADS") != nullptr;
  if (found == expected && !left) return 0;
  std::printf("Kokkos has %d threads, and not %d, on one of %d ranks that may use %d cores%s\n", found, expected, ranks,
              cores, left ? ", and left KOKKOS_NUM_THREADS behind" : "");
  return 1;
}
