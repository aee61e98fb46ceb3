// Each case goes wrong on rank 1 alone; CMakeLists.txt beside it says how the run has to end.
#include "support/mpi_main.hpp"
#include <doctest/doctest.h>
#include <mpi.h>
#include <csignal>
#include <stdexcept>

namespace {
bool on_rank_1() { return ashlar::testing::rank() == 1; }
}  // namespace

TEST_CASE("check") {
  CHECK_MESSAGE(!on_rank_1(), "wrong on rank 1");
  MPI_Barrier(MPI_COMM_WORLD);
}

// All ranks reach the end of the case: the run goes on, to another case, and fails.
TEST_CASE("require") {
  MPI_Barrier(MPI_COMM_WORLD);
  REQUIRE_MESSAGE(!on_rank_1(), "rank 1 left");
}

TEST_CASE("throw") {
  if (on_rank_1()) throw std::runtime_error("thrown on rank 1");
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_CASE("crash") {
  if (on_rank_1()) std::raise(SIGSEGV);
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_CASE("subcases") {
  SUBCASE("first") {}
  if (on_rank_1()) {
    SUBCASE("second") {}
  }
}

TEST_CASE("skip") {
  ASHLAR_NEEDS(ashlar::testing::ranks() > 100);
  FAIL("the case runs");
}
