// labels: mpich sanitizers
#include <ashlar/comm/communicator.hpp>

#include <doctest/doctest.h>
#include <sched.h>

#include <array>
#include <chrono>
#include <memory>
#include <thread>
#include <type_traits>

#include "ashlar/comm/collectives/all_gather.hpp"
#include "ashlar/comm/collectives/all_reduce.hpp"
#include "support/pmpi_counters.hpp"

using namespace ashlar;

namespace {

int world_rank() {
  int r = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}
int world_size() {
  int p = -1;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  return p;
}

}  // namespace

TEST_CASE("communicator: the ranks of the program's communicator, in a context of its own") {
  communicator const c(MPI_COMM_WORLD);
  CHECK(c.rank() == world_rank());
  CHECK(c.size() == world_size());
  int result = MPI_UNEQUAL;
  MPI_Comm_compare(c.get(), MPI_COMM_WORLD, &result);
  CHECK(result == MPI_CONGRUENT);
}

TEST_CASE("communicator: messages of the program do not meet ours") {
  communicator const c(MPI_COMM_WORLD);
  int const next = (c.rank() + 1) % c.size(), previous = (c.rank() + c.size() - 1) % c.size();
  int const mine = 1000 + c.rank();
  int theirs = 0, sum = 1;
  std::array<MPI_Request, 2> in_flight{};
  MPI_Isend(&mine, 1, MPI_INT, next, c.state().desync.in_progress.tag, MPI_COMM_WORLD, &in_flight[0]);
  comm::all_reduce<op::sum>(c, &sum, 1);
  MPI_Irecv(&theirs, 1, MPI_INT, previous, MPI_ANY_TAG, MPI_COMM_WORLD, &in_flight[1]);
  c.wait_all(in_flight);
  CHECK(sum == c.size());
  CHECK(theirs == 1000 + previous);
}

TEST_CASE("communicator: copies share one MPI communicator, which the last one frees") {
  auto const before = pmpi::counted();
  {
    communicator const a(MPI_COMM_WORLD);
    auto const made = pmpi::counted();
    communicator b = a;
    for (int i = 0; i < 10000; ++i) b = communicator(b);
    CHECK(b.get() == a.get());
    CHECK(pmpi::counted() == made);
  }
  auto const used = pmpi::counted() - before;
  CHECK(used.communicators_made > 0);
  CHECK(used.communicators_made == used.communicators_freed);
}

TEST_CASE("communicator: made and freed, again and again") {
  for (int i = 0; i < 20; ++i) {
    communicator const c(MPI_COMM_WORLD);
    communicator const part = c.split(c.rank() % 2, 0);
    REQUIRE(part.size() == (c.size() + 1 - c.rank() % 2) / 2);
  }
}

TEST_CASE("communicator: split by color, ordered by key") {
  communicator const c(MPI_COMM_WORLD);
  communicator const part = c.split(c.rank() % 3, -c.rank());
  int const members = (c.size() - c.rank() % 3 + 2) / 3;
  CHECK(part.size() == members);
  CHECK(part.rank() == members - 1 - c.rank() / 3);
  CHECK(part.yields() == c.yields());
  std::vector<int> ranks(std::size_t(members), -1);
  int const r = c.rank();
  comm::all_gather(part, &r, 1, ranks.data());
  for (int i = 0; i < members; ++i) CHECK(ranks[std::size_t(i)] == c.rank() % 3 + 3 * (members - 1 - i));
  CHECK(&part.counters() == &c.counters());
}

TEST_CASE("communicator: a rank alone needs no MPI communicator") {
  auto const before = pmpi::counted();
  communicator const alone;
  CHECK(alone.rank() == 0);
  CHECK(alone.size() == 1);
  CHECK(alone.get() == MPI_COMM_NULL);
  CHECK(alone.split(3, 4).size() == 1);
  CHECK(pmpi::counted() == before);
}

TEST_CASE("communicator: errors of MPI are exceptions, and the communicator works on") {
  communicator const c(MPI_COMM_WORLD);
  int x = 1;
  CHECK_THROWS_AS(comm_detail::check_mpi(MPI_Bcast(&x, 1, MPI_INT, c.size() + 5, c.get()), "MPI_Bcast"), error);
  CHECK_THROWS_WITH_AS(communicator(MPI_COMM_NULL), doctest::Contains("MPI_COMM_NULL has no ranks"), error);
  comm::all_reduce<op::sum>(c, &x, 1);
  CHECK(x == c.size());
}

TEST_CASE("communicator: all ranks wait alike, and both ways of waiting end") {
  communicator c(MPI_COMM_WORLD);
  bool const natural = c.yields();
  int least = natural, most = natural;
  comm::all_reduce<op::min>(c, &least, 1);
  comm::all_reduce<op::max>(c, &most, 1);
  CHECK(least == most);
  if (c.size() == 1) CHECK_FALSE(natural);

  for (bool yields : {natural, true}) {
    c.set_yields(yields);
    MPI_Request one = MPI_REQUEST_NULL;
    MPI_Ibarrier(c.get(), &one);
    c.wait(one);
    CHECK(one == MPI_REQUEST_NULL);
    std::array<MPI_Request, 3> several{};
    for (MPI_Request& request : several) MPI_Ibarrier(c.get(), &request);
    c.wait_all(several);
    for (MPI_Request request : several) CHECK(request == MPI_REQUEST_NULL);
    c.wait_all({});
  }
}

TEST_CASE("communicator: each has its own monitor, which its parts have too") {
  auto const first = comm_detail::desync_monitor::of(MPI_COMM_WORLD);
  MPI_Comm twin = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  {
    auto const second = comm_detail::desync_monitor::of(twin);
    CHECK(first != second);
    CHECK(first == comm_detail::desync_monitor::of(MPI_COMM_WORLD));
    communicator const without(MPI_COMM_WORLD), a(MPI_COMM_WORLD, first), b(twin, second);
    CHECK(without.state().desync.monitor == nullptr);
    CHECK(a.state().desync.monitor == first);
    CHECK(b.split(b.rank() % 2, b.rank()).state().desync.monitor == second);
    CHECK(a.split(0, a.rank()).split(0, 0).state().desync.monitor == first);
  }
  MPI_Comm_free(&twin);
}

TEST_CASE("communicator: without a monitor, ranks wait for a late one") {
  communicator const c(MPI_COMM_WORLD);
  if (c.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  MPI_Request all = MPI_REQUEST_NULL;
  MPI_Ibarrier(c.get(), &all);
  c.wait(all);
  CHECK(all == MPI_REQUEST_NULL);
}

#if ASHLAR_LINUX
TEST_CASE("node_load: meshes on parts of the ranks compete for the cores of all") {
  // Two cores for all ranks, whatever the machine has.
  cpu_set_t before, two;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  CPU_ZERO(&two);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++i)
    if (CPU_ISSET(i, &before)) CPU_SET(i, &two);
  int const cores = CPU_COUNT(&two);
  REQUIRE(sched_setaffinity(0, sizeof two, &two) == 0);
  MPI_Comm pair = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank() / 2, 0, &pair);
  int partners = 0;
  MPI_Comm_size(pair, &partners);

  comm_detail::node_load load;
  bool const alone = load.oversubscribed(pair), all = load.oversubscribed(MPI_COMM_WORLD),
             then = load.oversubscribed(pair);
  CHECK(alone == (partners > cores));  // nobody has counted the others
  CHECK(all == (world_size() > cores));
  CHECK(then == all);

  MPI_Comm_free(&pair);
  sched_setaffinity(0, sizeof before, &before);
}
#endif

TEST_CASE("mpi_datatype: types of the right size, and none for what MPI cannot add") {
  auto const bytes = [](MPI_Datatype t) {
    int n = 0;
    MPI_Type_size(t, &n);
    return std::size_t(n);
  };
  CHECK(bytes(comm::mpi_datatype<float>::get()) == sizeof(float));
  CHECK(bytes(comm::mpi_datatype<double>::get()) == sizeof(double));
  CHECK(bytes(comm::mpi_datatype<char>::get()) == 1);
  CHECK(bytes(comm::mpi_datatype<short>::get()) == sizeof(short));
  CHECK(bytes(comm::mpi_datatype<unsigned>::get()) == sizeof(unsigned));
  CHECK(bytes(comm::mpi_datatype<long>::get()) == sizeof(long));
  CHECK(bytes(comm::mpi_datatype<unsigned long long>::get()) == sizeof(unsigned long long));
  CHECK(bytes(comm::mpi_datatype<bool>::get()) == sizeof(bool));
  static_assert(comm::element<long long> && !comm::element<int*> && !comm::element<std::vector<int>>);
}
