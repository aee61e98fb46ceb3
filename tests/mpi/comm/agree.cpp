// labels: mpich sanitizers
#include <ashlar/comm/agree.hpp>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/comm/collectives/all_reduce.hpp"
#include "support/provoked.hpp"

using namespace ashlar;
using test::said;

namespace {

bool works(communicator const& c) {
  int ranks = 1;
  comm::all_reduce<op::sum>(c, &ranks, 1);
  return ranks == c.size();
}

std::string differ(std::string const& what) {
  return "the extents differ between ranks: " + what + "; give all ranks the same";
}

}  // namespace

TEST_CASE("collectively: the value of f, where no rank throws") {
  communicator const c(MPI_COMM_WORLD);
  CHECK(comm::collectively(c, [&] { return 10 * c.rank(); }) == 10 * c.rank());
  CHECK(*comm::collectively(c, [] { return std::make_unique<int>(7); }) == 7);
  int runs = 0;
  comm::collectively(c, [&] { ++runs; });
  CHECK(runs == 1);
  static_assert(std::is_void_v<decltype(comm::collectively(c, [] {}))>);
}

TEST_CASE("collectively: one rank throws, all throw the same") {
  communicator const c(MPI_COMM_WORLD);
  for (int bad = 0; bad < c.size(); ++bad) {
    auto const f = [&]() -> int {
      if (c.rank() == bad) throw std::runtime_error("no disk at " + std::string(std::size_t(bad) * 1000, 'x'));
      return 1;
    };
    CHECK(said([&] { comm::collectively(c, f); }) ==
          "no disk at " + std::string(std::size_t(bad) * 1000, 'x') + " (on rank " + std::to_string(bad) + ")");
    CHECK(works(c));
  }
}

TEST_CASE("collectively: several ranks throw, the lowest one is heard") {
  communicator const c(MPI_COMM_WORLD);
  int const lowest = (c.size() - 1) / 2;
  CHECK(said([&] {
          comm::collectively(c, [&] {
            if (c.rank() >= lowest) throw error("mine is " + std::to_string(c.rank()));
          });
        }) == "mine is " + std::to_string(lowest) + " (on rank " + std::to_string(lowest) + ")");
  CHECK(said([&] { comm::collectively(c, [] { throw 5; }); }) == "an exception that is no std::exception (on rank 0)");
  CHECK(said([&] { comm::collectively(c, [] { throw error(""); }); }) == " (on rank 0)");
  CHECK(works(c));
}

TEST_CASE("on_root: rank 0 runs it, all learn the outcome") {
  communicator const c(MPI_COMM_WORLD);
  int runs = 0;
  comm::on_root(c, [&] { ++runs; });
  CHECK(runs == (c.rank() == 0));
  CHECK(said([&] { comm::on_root(c, [] { throw std::runtime_error("the file is broken"); }); }) ==
        "the file is broken");
  CHECK(works(c));
}

TEST_CASE("require_equal: passes where all ranks have the same") {
  communicator const c(MPI_COMM_WORLD);
  for (std::size_t n : {0u, 1u, 7u, 8u, 9u, 16u, 20u}) {
    std::vector<index_t> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = index_t(i % 2 ? i : -i);
    if (n > 2) v[1] = std::numeric_limits<index_t>::max(), v[2] = std::numeric_limits<index_t>::min();
    CHECK(said([&] { comm::require_equal(c, v, "the extents"); }) == "");
  }
}

TEST_CASE("require_equal: one value differs on one rank") {
  communicator const c(MPI_COMM_WORLD);
  if (c.size() == 1) return;  // nobody to differ from
  for (int bad = 0; bad < c.size(); ++bad)
    for (std::size_t n : {1u, 8u, 9u, 20u})
      for (std::size_t at : {std::size_t(0), n - 1})
        for (index_t there : {index_t(0), std::numeric_limits<index_t>::max(), std::numeric_limits<index_t>::min()}) {
          std::vector<index_t> v(n, 5);
          if (c.rank() == bad) v[at] = there;
          std::string const x = std::to_string(there);
          CHECK(said([&] { comm::require_equal(c, v, "the extents"); }) ==
                differ("value " + std::to_string(at) + " is " +
                       (bad == 0 ? x + " on rank 0 and 5 on rank 1"
                                 : "5 on rank 0 and " + x + " on rank " + std::to_string(bad))));
        }
  CHECK(works(c));
}

TEST_CASE("require_equal: ranks have different numbers of values") {
  communicator const c(MPI_COMM_WORLD);
  if (c.size() == 1) return;  // nobody to differ from
  bool const last = c.rank() == c.size() - 1;
  for (std::vector<index_t> const& other : {std::vector<index_t>{1}, {2, 0}, {0}, {0, 0}})
    CHECK(said([&] { comm::require_equal(c, last ? other : std::vector<index_t>(), "the extents"); }) ==
          differ("there are 0 of them on rank 0 and " + std::to_string(other.size()) + " of them on rank " +
                 std::to_string(c.size() - 1)));
  for (std::size_t n : {0u, 2u, 9u, 30u}) {
    std::vector<index_t> const v(c.rank() == c.size() - 1 ? n + 1 : n, 4);
    CHECK(said([&] { comm::require_equal(c, v, "the extents"); }) ==
          differ("there are " + std::to_string(n) + " of them on rank 0 and " + std::to_string(n + 1) +
                 " of them on rank " + std::to_string(c.size() - 1)));
  }
  CHECK(works(c));
}

TEST_CASE("collectively: from another thread than before it is an error, and nothing has begun") {
  communicator const c(MPI_COMM_WORLD);
  if (c.size() == 1) return;
  comm::collectively(c, [] {});
  std::string text;
  std::thread([&] { text = said([&] { comm::collectively(c, [] {}); }); }).join();
  CHECK(text.find("ashlar: another thread of this process has called collectives before") == 0);
  comm::collectively(c, [] {});
}

TEST_CASE("collectively: in a forked process it is an error, and the ranks go on") {
  communicator const c(MPI_COMM_WORLD);
  if (c.size() == 1) return;
  comm::collectively(c, [] {});
  pid_t const child = fork();
  if (child == 0) {
    std::string const text = said([&] { comm::collectively(c, [] {}); });
    _exit(text.find("ashlar: this process was forked from a rank, and MPI does not know it") == 0 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  comm::collectively(c, [] {});
}
