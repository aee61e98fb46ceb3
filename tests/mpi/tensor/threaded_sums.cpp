// labels: threads
// Sums between ranks, cut for any number of threads: the bits of the sum in the order of the ranks.
#include <ashlar/ashlar.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "support/mpi_main.hpp"

using namespace ashlar;

namespace {

using line = mesh<axis<"x">>;
using summand = partial<layout<none>, "x">;

// Sums of these depend on the order of the ranks.
float value(int rank, index_t i) {
  return 0.1f * static_cast<float>((37 * i + 11 * rank * rank) % 1009) + 1.f / float(rank + 3);
}
float total(int ranks, index_t i) {
  float sum = value(0, i);
  for (int q = 1; q < ranks; ++q) sum += value(q, i);
  return sum;
}

auto operand(device_mesh<line> const& m, index_t n) {
  sharded_tensor<float, summand, line, Kokkos::DefaultHostExecutionSpace> x(m, shape::of(n));
  for (index_t i = 0; i < n; ++i) x.data()[i] = value(m.rank(), i);
  return x;
}

// True if all bits of the shard are those of the sum in the order of the ranks, `factor` times.
template <class X>
bool exact(X const& x, float factor = 1) {
  auto const indices = x.local_region().dim[0];
  for (index_t k = 0; k < indices.size(); ++k) {
    float const expected = factor * total(x.mesh().size(), indices[k]);
    if (std::memcmp(&expected, x.data() + k, sizeof(float)) != 0) return false;
  }
  return true;
}

// Around the sizes from which further threads take part: 16 pages per rank.
std::vector<index_t> sizes(int ranks) {
  index_t const page = 1024;
  return {0, 1, page + 1, 16 * page * ranks - 1, 16 * page * ranks + 1, 70 * page * ranks + 17};
}

// Hierarchical sums combine within a node first.
bool in_order_of_ranks(device_mesh<line> const& m) { return m.communicator().state().levels == nullptr; }

}  // namespace

TEST_CASE("sums of large shards: the order of the ranks, on every number of threads") {
  device_mesh<line> const m(MPI_COMM_WORLD, {testing::ranks()});
  ASHLAR_NEEDS(in_order_of_ranks(m));
  for (index_t n : sizes(m.size())) {
    CAPTURE(n);
    auto const x = operand(m, n);
    CHECK(exact(all_reduce<"x">(x)));
    CHECK(exact(reduce_scatter<"x", 0>(x)));
    CHECK(exact(all_gather<"x">(reduce_scatter<"x", 0>(x))));
    auto under_way = all_reduce_async<"x">(x);
    CHECK(exact(under_way.wait()));
  }
}

TEST_CASE("sums of a bundle: ranges of threads that begin within an operand") {
  device_mesh<line> const m(MPI_COMM_WORLD, {testing::ranks()});
  ASHLAR_NEEDS(in_order_of_ranks(m));
  auto const a = operand(m, 9001), b = operand(m, 50003), c = operand(m, 3), d = operand(m, 20001);
  auto const [sum_a, sum_b, sum_c, sum_d] = all_reduce<"x">(bundle(a, b, c, d));
  CHECK(exact(sum_a));
  CHECK(exact(sum_b));
  CHECK(exact(sum_c));
  CHECK(exact(sum_d));
}

TEST_CASE("loops of collectives on a tensor's threads: each element once, in ranges of at least the grain") {
  device_mesh<line> const m(MPI_COMM_WORLD, {testing::ranks()});
  int const threads = comm_detail::node_load::of_this_program().threads_per_process();
  CHECK(threads >= 1);
  CHECK((threads == 1 || threads * m.size() <= static_cast<int>(std::thread::hardware_concurrency())));
  for (std::size_t n : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
    std::vector<std::atomic<int>> visits(n);
    auto const visit = [&](std::size_t begin, std::size_t end) {
      CHECK((end - begin >= 7 || n < 7));
      for (std::size_t i = begin; i < end; ++i) ++visits[i];
    };
    tensor_detail::tuning_on<Kokkos::DefaultExecutionSpace>().for_ranges(
        n, 7,
        [](void const* f, std::size_t begin, std::size_t end) {
          (*static_cast<decltype(visit) const*>(f))(begin, end);
        },
        &visit);
    CHECK(std::all_of(visits.begin(), visits.end(), [](int k) { return k == 1; }));
  }
}

TEST_CASE("comm::tuning::for_ranges: ranges in any order, on any thread, make up the arrays") {
  device_mesh<line> const m(MPI_COMM_WORLD, {testing::ranks()});
  ASHLAR_NEEDS(in_order_of_ranks(m) && m.size() > 1);
  communicator const& c = m.communicator();
  comm::tuning how = comm::tuned;
  static index_t calls;
  calls = 0;
  how.for_ranges = [](std::size_t n, std::size_t grain, auto work, void const* argument) {
    ++calls;
    std::size_t const count = std::max<std::size_t>(1, n / grain);
    std::vector<std::thread> threads;
    for (std::size_t i = count; i-- > 0;)
      threads.emplace_back([=] { work(argument, n * i / count, n * (i + 1) / count); });
    for (auto& t : threads) t.join();
  };
  for (index_t n : sizes(m.size())) {
    CAPTURE(n);
    auto const x = operand(m, n);
    auto const size = static_cast<std::size_t>(n);
    std::vector<float> sums(size), in_place(x.data(), x.data() + n);
    comm::all_reduce<op::sum>(c, static_cast<float const*>(x.data()), sums.data(), size, how);
    comm::all_reduce<op::sum>(c, in_place.data(), size, how);
    std::vector<float> expected(size);
    for (index_t i = 0; i < n; ++i) expected[static_cast<std::size_t>(i)] = total(m.size(), i);
    CHECK(sums == expected);
    CHECK(in_place == expected);
  }
  CHECK(calls > 0);
}
