// labels: mpich
#include <ashlar/comm/collectives/persistent.hpp>

#include <doctest/doctest.h>

#include <algorithm>

#include "ashlar/comm/collectives/all_gather.hpp"
#include "ashlar/comm/collectives/all_reduce.hpp"
#include "cases.hpp"
#include "support/mpi_main.hpp"
#include "support/pmpi_counters.hpp"

using namespace ashlar;
using namespace cases;

namespace {

tuning const persistent{.forced = algorithm::persistent};

// The sum over the ranks of n elements of T, by arrays that lie elsewhere on each call and on each rank.
template <class T>
void check_sum(communicator const& c, std::size_t n, int call) {
  auto const r = std::size_t(c.rank()), p = std::size_t(c.size());
  std::vector<T> x(n + (r + std::size_t(call)) % 3), y(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = T(r + i + std::size_t(call));
  comm::all_reduce<op::sum>(c, x.data(), y.data(), n, persistent);
  for (std::size_t i = 0; i < n; ++i) REQUIRE(y[i] == T(p * (i + std::size_t(call)) + p * (p - 1) / 2));
}

}  // namespace

TEST_CASE("persistent: set up once for a kind and size, wherever the arrays lie on which rank") {
  ASHLAR_NEEDS(testing::ranks() > 1 && comm_detail::has_persistent_collectives);
  communicator const c(MPI_COMM_WORLD);
  auto const before = pmpi::counted();
  for (int call = 0; call < 50; ++call) {
    check_sum<double>(c, 10, call);
    check_sum<int>(c, 10, call);
    check_sum<double>(c, 11, call);
  }
  CHECK(c.state().persistent.size() == 3);
  auto const used = pmpi::counted() - before;
  CHECK(used.persistent_starts == 150);
  CHECK(used.communication() == 150);
}

TEST_CASE("persistent: the one that was not used for longest goes, on all ranks alike") {
  ASHLAR_NEEDS(testing::ranks() > 1 && comm_detail::has_persistent_collectives);
  communicator const c(MPI_COMM_WORLD);
  constexpr std::size_t most = comm_detail::persistent_collectives::most;
  for (int round = 0; round < 3; ++round)
    for (std::size_t n = 1; n <= most + 5; ++n) {
      check_sum<float>(c, n, round);
      check_sum<float>(c, 1, round);
      CHECK(c.state().persistent.size() <= most);
    }
  CHECK(c.state().persistent.size() == most);
}

TEST_CASE("persistent: freed with their communicator, whose successor has none") {
  ASHLAR_NEEDS(testing::ranks() > 1 && comm_detail::has_persistent_collectives);
  for (int i = 0; i < 20; ++i) {
    communicator const c(MPI_COMM_WORLD);
    check_sum<double>(c, 7, i);
    communicator const part = c.split(c.rank() % 2, 0);
    check_sum<double>(part, 7, i);
    CHECK(part.state().persistent.size() == (part.size() > 1 ? 1 : 0));
  }
}

TEST_CASE("persistent: arrays of more bytes than are worth a copy take MPI's collective") {
  ASHLAR_NEEDS(testing::ranks() > 1 && comm_detail::has_persistent_collectives);
  communicator const c(MPI_COMM_WORLD);
  tuning how = persistent;
  how.persistent_bytes = 80;
  std::vector<double> x(11, 1), y(11);
  for (std::size_t n : {10u, 11u}) {
    auto const before = pmpi::counted();
    comm::all_reduce<op::sum>(c, x.data(), y.data(), n, how);
    auto const used = pmpi::counted() - before;
    CHECK(used.persistent_starts == (n == 10 ? 1 : 0));
    CHECK(used.all_reduce == (n == 10 ? 0 : 1));
    CHECK(std::count(y.begin(), y.begin() + 10, double(c.size())) == 10);
  }
}
