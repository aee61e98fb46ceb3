// labels: mpich sanitizers
#include <ashlar/comm/collectives/all_to_all.hpp>

#include <doctest/doctest.h>

#include "cases.hpp"

using namespace ashlar;
using namespace cases;

TEST_CASE("permute: every rotation, sizes that differ between ranks") {
  communicator const c(MPI_COMM_WORLD);
  int const p = c.size(), r = c.rank();
  for (std::size_t n : sizes(c))
    for_each_way(c, [&](tuning const& how) {
      for (int shift = 0; shift < p; ++shift) {
        CAPTURE(n);
        CAPTURE(shift);
        auto const size = [&](int q) { return n == 0 ? 0 : (n + 3 * std::size_t(q)) % (n + 2); };
        int const to = (r + shift) % p, from = (r - shift + p) % p;
        guarded<double> x(size(r)), y(size(from));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = label<double>(std::size_t(r), i);
        comm::permute(c, x.data(), x.size(), to, y.data(), y.size(), from, how);
        CHECK(wrong(y, [&](std::size_t i) { return label<double>(std::size_t(from), i); }) == 0);
        CHECK((x.intact() && y.intact()));
      }
    });
}

TEST_CASE("permute: at an edge nobody sends or receives") {
  communicator const c(MPI_COMM_WORLD);
  int const p = c.size(), r = c.rank();
  int const to = r + 1 < p ? r + 1 : MPI_PROC_NULL, from = r > 0 ? r - 1 : MPI_PROC_NULL;
  for_each_way(c, [&](tuning const& how) {
    std::vector<int> const x(20, r);
    std::vector<int> y(20, -1);
    comm::permute(c, x.data(), x.size(), to, y.data(), y.size(), from, how);
    CHECK(y == std::vector<int>(20, r > 0 ? r - 1 : -1));
  });
}

TEST_CASE("permute: some ranks keep their array") {
  communicator const c(MPI_COMM_WORLD);
  int const p = c.size(), r = c.rank();
  int const other = p > 1 && r < 2 ? 1 - r : r;  // the first two ranks change places
  for_each_way(c, [&](tuning const& how) {
    std::vector<int> const x(20, r);
    std::vector<int> y(20, -1);
    comm::permute(c, x.data(), x.size(), other, y.data(), y.size(), other, how);
    CHECK(y == std::vector<int>(20, other));
  });
}
