// labels: mpich sanitizers
#include <ashlar/comm/collectives/all_to_all.hpp>

#include <doctest/doctest.h>

#include <numeric>

#include "cases.hpp"
#include "support/pmpi_counters.hpp"

using namespace ashlar;
using namespace cases;

namespace {

// A value that says from where to where it went.
template <class T>
T sent(std::size_t from, std::size_t to, std::size_t i) {
  return label<T>(from * 8 + to, i);
}

// counts(r, q): what rank r sends to rank q.
template <class T, class Counts>
void check_all_to_all(communicator const& c, Counts counts, bool equal, tuning const& how) {
  auto const r = std::size_t(c.rank()), p = std::size_t(c.size());
  std::vector<std::size_t> send(p), receive(p);
  std::vector<T> expected;
  for (std::size_t q = 0; q < p; ++q) {
    send[q] = counts(r, q);
    receive[q] = counts(q, r);
    for (std::size_t i = 0; i < receive[q]; ++i) expected.push_back(sent<T>(q, r, i));
  }
  guarded<T> x(std::accumulate(send.begin(), send.end(), std::size_t(0))), y(expected.size());
  for (std::size_t q = 0, k = 0; q < p; ++q)
    for (std::size_t i = 0; i < send[q]; ++i) x[k++] = sent<T>(r, q, i);
  if (equal)
    comm::all_to_all(c, x.data(), send[0], y.data(), how);
  else
    comm::all_to_all(c, x.data(), send, y.data(), receive, how);
  CHECK(wrong(y, [&](std::size_t i) { return expected[i]; }) == 0);
  CHECK((x.intact() && y.intact()));
}

template <class T>
void check_sizes(communicator const& c, std::vector<std::size_t> const& all_sizes) {
  for (std::size_t n : all_sizes) {
    CAPTURE(n);
    for_each_way(c, [&](tuning const& how) {
      check_all_to_all<T>(
          c, [=](std::size_t, std::size_t) { return n; }, true, how);
      check_all_to_all<T>(
          c, [=](std::size_t, std::size_t) { return n; }, false, how);
      check_all_to_all<T>(
          c, [=](std::size_t r, std::size_t q) { return (3 * r + 5 * q) % (n + 1); }, false, how);
      check_all_to_all<T>(
          c, [=](std::size_t r, std::size_t) { return r == 0 ? n : 0; }, false, how);  // one sends
      check_all_to_all<T>(
          c, [=](std::size_t, std::size_t q) { return q == 0 ? n : 0; }, false, how);  // one receives
      check_all_to_all<T>(
          c, [=](std::size_t r, std::size_t q) { return r == q ? n : 0; }, false, how);  // nobody does
    });
  }
}

}  // namespace

TEST_CASE("all_to_all: every size, even and uneven, every way") {
  communicator const c(MPI_COMM_WORLD);
  check_sizes<std::int32_t>(c, sizes(c));
}

TEST_CASE("all_to_all: every type") {
  communicator const c(MPI_COMM_WORLD);
  check_sizes<float>(c, {3});
  check_sizes<double>(c, {3});
  check_sizes<std::int8_t>(c, {3});
  check_sizes<std::int16_t>(c, {3});
  check_sizes<std::int64_t>(c, {3});
  check_sizes<std::uint8_t>(c, {3});
  check_sizes<std::uint16_t>(c, {3});
  check_sizes<std::uint32_t>(c, {3});
  check_sizes<std::uint64_t>(c, {3});
}

TEST_CASE("all_to_all: messages that cannot be posted leave none behind, one to the rank itself neither") {
  int const size = communicator(MPI_COMM_WORLD).size();
  if (size == 1) return;
  std::size_t const n = 100;
  std::vector<int> const x(n * std::size_t(size), 1);
  std::vector<int> y(x.size());
  std::vector<std::size_t> const counts(std::size_t(size), n);
  for (int const refused : {1, size}) {
    communicator const c(MPI_COMM_WORLD);  // after a failure there is no other call
    *c.state().keeps_messages = true;      // that had been posted
    pmpi::refuse_send(refused);
    CHECK_THROWS_AS(comm::all_to_all(c, x.data(), counts, y.data(), counts, {.host_memory = false}), error);
    CHECK(c.state().requests.empty());
  }
}
