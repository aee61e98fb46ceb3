// labels: mpich not_linux
#include <ashlar/comm/collectives/all_reduce.hpp>

#include <doctest/doctest.h>

#include <cstring>

#include "cases.hpp"

using namespace ashlar;
using namespace cases;

namespace {

// A reduction of our own: associative and commutative, and none of MPI's that it could be taken for.
struct greatest_common_divisor {
  template <class T>
  static constexpr T identity() {
    return T(0);
  }
  template <class T>
  static constexpr T combine(T a, T b) {
    while (b != 0) {
      T const r = T(a % b);
      a = b;
      b = r;
    }
    return a;
  }
};

template <class Op, class T>
T combined(int p, std::size_t i) {
  T x = value<T>(0, i);
  for (std::size_t q = 1; q < std::size_t(p); ++q) x = Op::combine(x, value<T>(q, i));
  return x;
}

template <class Op, class T>
void check_all_reduce(communicator const& c, std::size_t n, tuning const& how) {
  CAPTURE(n);
  auto const r = std::size_t(c.rank());
  guarded<T> x(n), y(n), z(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = z[i] = value<T>(r, i);
  comm::all_reduce<Op>(c, x.data(), y.data(), n, how);
  comm::all_reduce<Op>(c, z.data(), n, how);
  auto const expected = [&](std::size_t i) { return combined<Op, T>(c.size(), i); };
  CHECK(wrong(y, expected) == 0);
  CHECK(wrong(z, expected) == 0);
  CHECK(wrong(x, [&](std::size_t i) { return value<T>(r, i); }) == 0);
  CHECK((x.intact() && y.intact() && z.intact()));
}

template <class T>
void check_all_operations(communicator const& c) {
  for_each_way(c, [&](tuning const& how) {
    check_all_reduce<op::sum, T>(c, 17, how);
    check_all_reduce<op::max, T>(c, 17, how);
    check_all_reduce<op::min, T>(c, 17, how);
    check_all_reduce<op::prod, T>(c, 17, how);
    if constexpr (std::is_integral_v<T>) check_all_reduce<greatest_common_divisor, T>(c, 17, how);
  });
}

}  // namespace

TEST_CASE("all_reduce: every operation on every type") {
  communicator const c(MPI_COMM_WORLD);
  check_all_operations<float>(c);
  check_all_operations<double>(c);
  check_all_operations<std::int8_t>(c);
  check_all_operations<std::int16_t>(c);
  check_all_operations<std::int32_t>(c);
  check_all_operations<std::int64_t>(c);
  check_all_operations<std::uint8_t>(c);
  check_all_operations<std::uint16_t>(c);
  check_all_operations<std::uint32_t>(c);
  check_all_operations<std::uint64_t>(c);
}

TEST_CASE("all_reduce: every size, every way, twice") {
  communicator const c(MPI_COMM_WORLD);
  for (std::size_t n : sizes(c))
    for_each_way(c, [&](tuning const& how) {
      check_all_reduce<op::sum, double>(c, n, how);
      check_all_reduce<op::max, std::int32_t>(c, n, how);
    });
}

TEST_CASE("all_reduce: sizes around the thresholds, as tuned") {
  communicator const c(MPI_COMM_WORLD);
  std::vector<std::size_t> thresholds{comm::tuned.piece_bytes * std::size_t(c.size())};
  for (int ranks : {2, 3}) thresholds.push_back(comm_detail::usual_whole_bytes(ranks));
  for (comm_detail::tuning_row const& row : comm_detail::measured_rows)
    if (row.what == collective::all_reduce && row.bytes != comm_detail::any_bytes) thresholds.push_back(row.bytes);
  for (std::size_t bytes : thresholds)
    for (std::size_t n : {bytes / 4 - 1, bytes / 4, bytes / 4 + 1}) check_all_reduce<op::sum, float>(c, n, comm::tuned);
}

TEST_CASE(
    "all_reduce: an exchange adds in the order of the ranks, so the bits are the same on all ranks and every time") {
  communicator const c(MPI_COMM_WORLD);
  std::size_t const n = 1000;
  auto const term = [](std::size_t r, std::size_t i) { return 1.0f / float(3 + 7 * r + i) * (r % 2 ? -1e4f : 1.0f); };
  std::vector<float> x(n), y(n), expected(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = term(std::size_t(c.rank()), i);
    expected[i] = term(0, i);
    for (std::size_t q = 1; q < std::size_t(c.size()); ++q) expected[i] += term(q, i);
  }
  for_each_way(c, [&](tuning const& how) {
    if (!how.forced || !how.exchanges(c.size())) return;
    comm::all_reduce<op::sum>(c, x.data(), y.data(), n, how);
    CHECK(std::memcmp(y.data(), expected.data(), n * sizeof(float)) == 0);
  });
}

TEST_CASE("mpi_op: one MPI_Op for each reduction and type") {
  auto const get = comm::mpi_op<greatest_common_divisor, int>::get;
  CHECK(get() == get());
  CHECK(get() != comm::mpi_op<greatest_common_divisor, long>::get());
  CHECK(comm::mpi_op<op::sum, int>::get() == MPI_SUM);
}
