// Sums of tensors with more elements than an int counts, by messages and in shared memory: 2 ranks, 6 to 10 GB together. Run where
// $ASHLAR_EXHAUSTIVE is set, as the preset "full" does.
#include <ashlar/ashlar.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>

#include "support/mpi_main.hpp"

using namespace ashlar;

namespace {

constexpr index_t many = (index_t(1) << 31) + 12346;
using element = std::int8_t;

// Small enough that the sum of two is one.
element value(int rank, index_t i) { return element((i * 31 + (i >> 20) * 7 + rank * 3) % 61); }

template <class X>
index_t wrong_sums(X const& x) {
  auto const box = x.local_region();
  element const* const found = x.data();
  index_t count = 0;
  for (index_t k = 0; k < box.dim[0].size(); ++k) {
    index_t const i = box.dim[0][k];
    count += found[k] != element(value(0, i) + value(1, i));
  }
  return count;
}

}  // namespace

TEST_CASE("large: sums of tensors of more than 2^31 elements") {
  ASHLAR_NEEDS(std::getenv("ASHLAR_EXHAUSTIVE") != nullptr && testing::ranks() == 2);
  device_mesh<mesh<axis<"x">>> const m(MPI_COMM_WORLD, {2});
  auto x = make<element, partial<layout<none>, "x">>(m, {many});
  for (index_t i = 0; i < many; ++i) x.data()[i] = value(m.rank(), i);
  SUBCASE("reduce_scatter") { CHECK(wrong_sums(reduce_scatter<"x", 0>(x)) == 0); }
  SUBCASE("all_reduce") { CHECK(wrong_sums(all_reduce<"x">(x)) == 0); }
}
