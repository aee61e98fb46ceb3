// own_threads: a thread of the program sends messages and calls collectives of MPI, while the first thread calls collectives of a
// mesh on the same communicator. Neither takes messages of the other. MPI starts once in a process, and here with MPI_THREAD_MULTIPLE.
#include <ashlar/ashlar.hpp>

#include <cstdio>
#include <thread>
#include <vector>

using namespace ashlar;

namespace {

using line = mesh<axis<"x">>;

// Sends numbers around a ring, and adds them on all ranks. Returns the number of wrong results.
int messages_of_the_program(MPI_Comm ranks, int rounds) {
  int rank = 0, size = 0, wrong = 0;
  MPI_Comm_rank(ranks, &rank);
  MPI_Comm_size(ranks, &size);
  std::vector<int> mine(5000), got(mine.size());
  for (int i = 0; i < rounds; ++i) {
    mine.assign(mine.size(), size * i + rank);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(got.data(), static_cast<int>(got.size()), MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, ranks, &request);
    MPI_Send(mine.data(), static_cast<int>(mine.size()), MPI_INT, (rank + 1) % size, i, ranks);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int const x : got) wrong += x != size * i + (rank + size - 1) % size;
    int sum = 0;
    MPI_Allreduce(mine.data(), &sum, 1, MPI_INT, MPI_SUM, ranks);
    wrong += sum != size * size * i + size * (size - 1) / 2;
  }
  return wrong;
}

struct number {
  KOKKOS_FUNCTION double operator()(index_t i, index_t j) const { return static_cast<double>(31 * i + j); }
};

// Collectives of a mesh of n x 7 elements. Returns the number of wrong results.
int collectives_of_a_mesh(device_mesh<line> const& m, index_t n) {
  auto const x = generate<double, layout<"x", none>>(m, {n, 7}, number{});
  auto const columns = all_to_all<"x", 1>(x);
  double const total = static_cast<double>(7 * 31 * n * (n - 1) / 2 + 21 * n);
  std::vector<double> const all = gather_all(all_gather<"x">(x));
  int wrong = item(all_reduce<"x">(sum(columns))) != total;
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < 7; ++j)
      wrong += all[static_cast<std::size_t>(7 * i + j)] != static_cast<double>(31 * i + j);
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) {
    std::printf("skipped: the MPI library does not take calls of several threads at a time\n");
    MPI_Finalize();
    return 77;
  }
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  int wrong_messages = 0, wrong_collectives = 0;
  {
    environment const env;
    device_mesh<line> const m(own);
    std::thread beside([&] { wrong_messages = messages_of_the_program(own, 300); });
    for (index_t i = 0; i < 60; ++i) wrong_collectives += collectives_of_a_mesh(m, i % 2 ? 5 + i : 3000 + i);
    beside.join();
  }
  std::printf("%d wrong results of messages, %d of collectives\n", wrong_messages, wrong_collectives);
  MPI_Comm_free(&own);
  MPI_Finalize();
  return wrong_messages + wrong_collectives != 0;
}
