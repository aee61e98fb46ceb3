// A kernel that is still at work on an operand when a collective is called, and one that overwrites it as soon as the collective is
// back: the collective takes what lies between. On a device both are in flight; on a node the other ranks may be late.
#include "ashlar/ops/async.hpp"
#include "ashlar/ops/arrays/roll.hpp"
#include "ashlar/tensor/backend.hpp"
#include "support/dense.hpp"
#include "support/mpi_main.hpp"
#include <doctest/doctest.h>
#include <chrono>
#include <thread>

using namespace ashlar;
using namespace ashlar::test;

namespace {

using grid = mesh<axis<"x">>;

// Writes element i of a shard after so many rounds of arithmetic, which no compiler knows to come to nothing.
template <class V>
struct slow_write {
  V to;
  typename V::const_type from;
  int rounds;
  KOKKOS_FUNCTION void operator()(int i) const {
    double zero = 0;
    for (int k = 0; k < rounds; ++k) zero = zero * 0.5 + from(i) * 1e-300 * 1e-300;
    to(i) = from(i) + zero;
  }
};
template <class X>
void write(X& to, X const& from, int rounds) {
  Kokkos::View<double*, typename X::memory_space> const t(to.data(), static_cast<std::size_t>(to.local_size()));
  Kokkos::View<double const*, typename X::memory_space> const f(from.data(),
                                                                static_cast<std::size_t>(from.local_size()));
  Kokkos::parallel_for(Kokkos::RangePolicy<typename X::execution_space>(0, static_cast<int>(to.local_size())),
                       slow_write<decltype(t)>{t, f, rounds});
}

// collective(x) of the numbers that a slow kernel writes into x, with other ones written behind it; each rank is late once.
template <class L, class F>
void check(F const& collective) {
  device_mesh<grid> const m(MPI_COMM_WORLD, {world_size()});
  if (m.size() == 1) return;  // where nothing moves the result is the operand's memory
  for (shape const& e : {shape::of(97, 13), shape::of(2 * m.size(), 300 * m.size())}) {
    auto const numbers = tensor_of<double, L>(m, e, small_number),
               others = tensor_of<double, L>(m, e, [](index_t, int) { return -7.0; });
    auto const expected = shard(collective(numbers));
    for (int late = 0; late < m.size(); ++late) {
      auto x = tensor_of<double, L>(m, e, [](index_t, int) { return -5.0; });
      if (m.rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(3));
      write(x, numbers, 200);
      auto const y = collective(x);
      write(x, others, 0);
      CHECK(shard(y) == expected);
    }
  }
}

}  // namespace

TEST_CASE("collectives see what kernels before them write, and nothing of those behind") {
  check<layout<"x", none>>([](auto const& x) { return all_gather<"x">(x); });
  check<layout<none, "x">>([](auto const& x) { return all_gather<"x">(x); });
  check<layout<"x", none>>([](auto const& x) { return all_to_all<"x", 1>(x); });
  check<partial<layout<none, none>, "x">>([](auto const& x) { return all_reduce<"x">(x); });
  check<partial<layout<none, none>, "x">>([](auto const& x) { return reduce_scatter<"x", 0>(x); });
  check<partial<layout<none, none>, "x">>([](auto const& x) { return reduce_scatter<"x", 1>(x); });
  check<layout<"x", none>>([](auto const& x) { return roll<0>(x, 3); });
  check<layout<"x", none>>([](auto const& x) { return all_gather_async<"x">(x).wait(); });
  check<partial<layout<none, none>, "x">>([](auto const& x) { return all_reduce_async<"x">(x).wait(); });
}
