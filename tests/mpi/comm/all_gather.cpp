// labels: mpich sanitizers
#include <ashlar/comm/collectives/all_gather.hpp>

#include <doctest/doctest.h>

#include <numeric>

#include "cases.hpp"

using namespace ashlar;
using namespace cases;

namespace {

// Whose block element i of the result lies in, and where in it.
std::pair<std::size_t, std::size_t> origin(std::vector<std::size_t> const& counts, std::size_t i) {
  std::size_t q = 0;
  while (i >= counts[q]) i -= counts[q++];
  return {q, i};
}

template <class T>
void check_all_gather(communicator const& c, std::vector<std::size_t> const& counts, bool equal, tuning const& how) {
  CAPTURE(counts.front());
  CAPTURE(counts.back());
  auto const r = std::size_t(c.rank());
  std::size_t const n = counts[r], total = std::accumulate(counts.begin(), counts.end(), std::size_t(0));
  std::size_t const first = std::accumulate(counts.begin(), counts.begin() + c.rank(), std::size_t(0));
  guarded<T> x(n), y(total), z(total);
  for (std::size_t i = 0; i < n; ++i) x[i] = z[first + i] = label<T>(r, i);
  if (equal) {
    comm::all_gather(c, x.data(), n, y.data(), how);
    comm::all_gather(c, z.data(), n, how);
  } else {
    comm::all_gather(c, x.data(), n, y.data(), counts, how);
    comm::all_gather(c, z.data(), counts, how);
  }
  auto const expected = [&](std::size_t i) {
    auto const [q, j] = origin(counts, i);
    return label<T>(q, j);
  };
  CHECK(wrong(y, expected) == 0);
  CHECK(wrong(z, expected) == 0);
  CHECK((x.intact() && y.intact() && z.intact()));
}

template <class T>
void check_sizes(communicator const& c, std::vector<std::size_t> const& all_sizes) {
  for (std::size_t n : all_sizes)
    for_each_way(c, [&](tuning const& how) {
      check_all_gather<T>(c, std::vector<std::size_t>(std::size_t(c.size()), n), true, how);
      for (auto const& counts : uneven_counts(c, n)) check_all_gather<T>(c, counts, false, how);
    });
}

}  // namespace

TEST_CASE("all_gather: every size, even and uneven, every way") {
  communicator const c(MPI_COMM_WORLD);
  check_sizes<std::int64_t>(c, sizes(c));
}

TEST_CASE("all_gather: every type") {
  communicator const c(MPI_COMM_WORLD);
  check_sizes<float>(c, {3});
  check_sizes<double>(c, {3});
  check_sizes<std::int8_t>(c, {3});
  check_sizes<std::int16_t>(c, {3});
  check_sizes<std::int32_t>(c, {3});
  check_sizes<std::uint8_t>(c, {3});
  check_sizes<std::uint16_t>(c, {3});
  check_sizes<std::uint32_t>(c, {3});
  check_sizes<std::uint64_t>(c, {3});
}

TEST_CASE("all_gather: an empty block may have no address") {
  communicator const c(MPI_COMM_WORLD);
  std::vector<std::size_t> counts(std::size_t(c.size()), 0);
  counts.back() = 5;
  bool const last = c.rank() == c.size() - 1;
  for_each_way(c, [&](tuning const& how) {
    std::vector<int> const own{10, 11, 12, 13, 14};
    std::vector<int> all(5);
    comm::all_gather(c, last ? own.data() : nullptr, last ? 5 : 0, all.data(), counts, how);
    CHECK(all == own);
  });
}
