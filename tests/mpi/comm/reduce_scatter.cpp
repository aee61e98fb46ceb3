// labels: mpich sanitizers
#include <ashlar/comm/collectives/all_reduce.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "cases.hpp"

using namespace ashlar;
using namespace cases;

namespace {

template <class Op, class T>
void check_reduce_scatter(communicator const& c, std::vector<std::size_t> const& counts, bool equal,
                          tuning const& how) {
  CAPTURE(counts.front());
  CAPTURE(counts.back());
  auto const r = std::size_t(c.rank());
  std::size_t const n = counts[r], total = std::accumulate(counts.begin(), counts.end(), std::size_t(0));
  std::size_t const first = std::accumulate(counts.begin(), counts.begin() + c.rank(), std::size_t(0));
  guarded<T> x(total), y(n);
  for (std::size_t i = 0; i < total; ++i) x[i] = value<T>(r, i);
  if (equal)
    comm::reduce_scatter<Op>(c, x.data(), y.data(), n, how);
  else
    comm::reduce_scatter<Op>(c, x.data(), y.data(), counts, how);
  CHECK(wrong(y, [&](std::size_t i) {
          T sum = value<T>(0, first + i);
          for (std::size_t q = 1; q < std::size_t(c.size()); ++q) sum = Op::combine(sum, value<T>(q, first + i));
          return sum;
        }) == 0);
  CHECK(wrong(x, [&](std::size_t i) { return value<T>(r, i); }) == 0);
  CHECK((x.intact() && y.intact()));
}

template <class Op, class T>
void check_sizes(communicator const& c, std::vector<std::size_t> const& all_sizes) {
  for (std::size_t n : all_sizes)
    for_each_way(c, [&](tuning const& how) {
      check_reduce_scatter<Op, T>(c, std::vector<std::size_t>(std::size_t(c.size()), n), true, how);
      for (auto const& counts : uneven_counts(c, std::min<std::size_t>(n, 50)))
        check_reduce_scatter<Op, T>(c, counts, false, how);
    });
}

template <class T>
void check_operations(communicator const& c) {
  check_sizes<op::sum, T>(c, {3});
  check_sizes<op::max, T>(c, {3});
  check_sizes<op::min, T>(c, {3});
  check_sizes<op::prod, T>(c, {3});
}

}  // namespace

TEST_CASE("reduce_scatter: every size, even and uneven, every way") {
  communicator const c(MPI_COMM_WORLD);
  check_sizes<op::sum, double>(c, sizes(c));
  check_sizes<op::min, std::int16_t>(c, {1, std::size_t(c.size()) + 1});
}

TEST_CASE("reduce_scatter: every operation on every type") {
  communicator const c(MPI_COMM_WORLD);
  check_operations<float>(c);
  check_operations<std::int8_t>(c);
  check_operations<std::int32_t>(c);
  check_operations<std::int64_t>(c);
  check_operations<std::uint8_t>(c);
  check_operations<std::uint16_t>(c);
  check_operations<std::uint32_t>(c);
  check_operations<std::uint64_t>(c);
}

TEST_CASE("reduce_scatter: blocks larger than a piece, as tuned") {
  communicator const c(MPI_COMM_WORLD);
  std::size_t const n = comm::tuned.piece_bytes / sizeof(float);
  for (std::size_t m : {n - 1, n, n + 1, 2 * n + 5})
    check_reduce_scatter<op::sum, float>(c, std::vector<std::size_t>(std::size_t(c.size()), m), true, comm::tuned);
}

TEST_CASE("reduce_scatter: an exchange adds in the order of the ranks") {
  communicator const c(MPI_COMM_WORLD);
  std::size_t const n = 300, p = std::size_t(c.size());
  auto const term = [](std::size_t r, std::size_t i) { return 1.0f / float(3 + 7 * r + i) * (r % 2 ? -1e4f : 1.0f); };
  std::vector<float> x(n * p), y(n), expected(n);
  for (std::size_t i = 0; i < n * p; ++i) x[i] = term(std::size_t(c.rank()), i);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t const j = std::size_t(c.rank()) * n + i;
    expected[i] = term(0, j);
    for (std::size_t q = 1; q < p; ++q) expected[i] += term(q, j);
  }
  for_each_way(c, [&](tuning const& how) {
    if (!how.forced || !how.exchanges(c.size())) return;
    comm::reduce_scatter<op::sum>(c, x.data(), y.data(), n, how);
    CHECK(std::memcmp(y.data(), expected.data(), n * sizeof(float)) == 0);
  });
}
