// labels: sanitizers
#include <ashlar/comm/environment.hpp>

#include <doctest/doctest.h>

#include <optional>

#include "ashlar/comm/agree.hpp"
#include "ashlar/comm/collectives/all_reduce.hpp"
#include "ashlar/comm/collectives/all_to_all.hpp"

using namespace ashlar;

TEST_CASE("a rank alone needs no MPI: collectives copy") {
  REQUIRE_FALSE(comm_detail::mpi_is_usable());
  communicator const alone;
  std::size_t const counts[] = {3};
  float const x[] = {1, 2, 3};
  auto const copies = [&](auto collective) {
    float y[3] = {};
    collective(y);
    return y[0] == 1 && y[1] == 2 && y[2] == 3;
  };
  CHECK(copies([&](float* y) { comm::all_reduce<op::max>(alone, x, y, 3); }));
  CHECK(copies([&](float* y) { comm::all_gather(alone, x, 3, y); }));
  CHECK(copies([&](float* y) { comm::all_gather(alone, x, 3, y, counts); }));
  CHECK(copies([&](float* y) { comm::reduce_scatter<op::sum>(alone, x, y, 3); }));
  CHECK(copies([&](float* y) { comm::reduce_scatter<op::sum>(alone, x, y, counts); }));
  CHECK(copies([&](float* y) { comm::all_to_all(alone, x, 3, y); }));
  CHECK(copies([&](float* y) { comm::all_to_all(alone, x, counts, y, counts); }));
  CHECK(copies([&](float* y) { comm::permute(alone, x, 3, 0, y, 3, 0); }));
  CHECK(copies([&](float* y) {
    std::copy_n(x, 3, y);
    comm::all_reduce<op::sum>(alone, y, 3);
    comm::all_gather(alone, y, 3);
    comm::all_gather(alone, y, counts);
    comm::broadcast(alone, y, 3, 0);
  }));
  CHECK(comm::collectively(alone, [] { return 4; }) == 4);
  CHECK_THROWS_WITH_AS(comm::on_root(alone, [] { throw 1; }), "an exception that is no std::exception", error);
  CHECK(alone.counters() == comm::counters{});
}

// The whole life of MPI: nothing can come after it, so it is one case.
TEST_CASE("mpi_environment: from before MPI_Init to after MPI_Finalize") {
  CHECK_FALSE(comm_detail::mpi_is_usable());
  CHECK_THROWS_WITH_AS(communicator(MPI_COMM_WORLD), doctest::Contains("MPI is not initialised"), error);

  std::optional<communicator> outlives;
  int finalized = 0;
  {
    mpi_environment const outer;
    CHECK(comm_detail::mpi_is_usable());
    {
      mpi_environment const inner;  // did not initialise, so does not finalise
    }
    CHECK(comm_detail::mpi_is_usable());
    outlives.emplace(MPI_COMM_WORLD);
    int x = 5;
    comm::all_reduce<op::sum>(*outlives, &x, 1);
    CHECK(x == 5);

    struct own_sum : op::sum {};
    CHECK(comm::mpi_op<own_sum, int>::get() == comm::mpi_op<own_sum, int>::get());
    int key = MPI_KEYVAL_INVALID;  // MPI_Finalize deletes the attributes of MPI_COMM_SELF
    MPI_Comm_create_keyval(
        MPI_COMM_NULL_COPY_FN,
        [](MPI_Comm, int, void* count, void*) {
          ++*static_cast<int*>(count);
          return MPI_SUCCESS;
        },
        &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &finalized);
  }
  CHECK(finalized == 1);
  CHECK_FALSE(comm_detail::mpi_is_usable());
  outlives.reset();  // no call of MPI: that would end the program
  CHECK_THROWS_WITH_AS(mpi_environment(), doctest::Contains("already finalised"), error);
  CHECK_THROWS_WITH_AS(communicator(MPI_COMM_WORLD), doctest::Contains("already finalised"), error);
}
