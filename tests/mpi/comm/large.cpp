// Arrays of more elements than an int counts, for real: 2 ranks, 14 GB together, some minutes; run where $ASHLAR_EXHAUSTIVE is set, as
// the preset "full" does. Elsewhere small limits stand in for an int's (cases.hpp).
#include <ashlar/comm/collectives/all_gather.hpp>
#include <ashlar/comm/collectives/all_reduce.hpp>
#include <ashlar/comm/collectives/all_to_all.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "support/mpi_main.hpp"

using namespace ashlar;

namespace {

constexpr std::size_t many = (std::size_t(1) << 31) + 12345;
using element = std::int8_t;
using array = std::unique_ptr<element[]>;

// Small enough that the sum of two is one.
element value(int rank, std::size_t i) { return element((i * 31 + (i >> 20) * 7 + std::size_t(rank) * 3) % 61); }

template <class F>
array filled(std::size_t n, F f) {
  array a(new element[n]);
  for (std::size_t i = 0; i < n; ++i) a[i] = f(i);
  return a;
}
template <class F>
std::size_t wrong(element const* a, std::size_t n, F f) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += a[i] != f(i);
  return count;
}

}  // namespace

TEST_CASE("large: more than 2^31 elements") {
  ASHLAR_NEEDS(std::getenv("ASHLAR_EXHAUSTIVE") != nullptr && testing::ranks() == 2);
  communicator const c(MPI_COMM_WORLD);
  int const r = c.rank(), other = 1 - r;
  for (comm::tuning const& how : {comm::tuning{}, comm::tuning{.exchange_ranks = 1}}) {
    {
      auto const own = filled(many, [&](std::size_t i) { return value(r, i); });
      array const all(new element[2 * many]);
      comm::all_gather(c, own.get(), many, all.get(), how);
      for (int q : {0, 1})
        CHECK(wrong(all.get() + std::size_t(q) * many, many, [&](std::size_t i) { return value(q, i); }) == 0);
    }
    {
      auto const own = filled(2 * many, [&](std::size_t i) { return value(r, i); });
      array const sum(new element[many]);
      comm::reduce_scatter<op::sum>(c, own.get(), sum.get(), many, how);
      CHECK(wrong(sum.get(), many, [&](std::size_t i) {
              return element(value(0, std::size_t(r) * many + i) + value(1, std::size_t(r) * many + i));
            }) == 0);
    }
    {
      auto const own = filled(many, [&](std::size_t i) { return value(r, i); });
      array const sum(new element[many]);
      comm::all_reduce<op::sum>(c, own.get(), sum.get(), many, how);
      CHECK(wrong(sum.get(), many, [&](std::size_t i) { return element(value(0, i) + value(1, i)); }) == 0);
      comm::broadcast(c, sum.get(), many, 1, how);
      std::array<std::size_t, 2> travels{};
      travels[std::size_t(other)] = many;  // and nothing stays
      comm::all_to_all(c, own.get(), std::span<std::size_t const>(travels), sum.get(),
                       std::span<std::size_t const>(travels), how);
      CHECK(wrong(sum.get(), many, [&](std::size_t i) { return value(other, i); }) == 0);
    }
  }
}
