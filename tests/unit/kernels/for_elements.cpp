// labels: sanitizers
// Ranges and elements are covered once, by any number of threads.
#include "ashlar/kernels/for_elements.hpp"
#include "support/shared_vector.hpp"
#include <doctest/doctest.h>
#include <new>
#include <vector>

using namespace ashlar;

namespace {
struct count_visit {
  int* visits;
  KOKKOS_FUNCTION void operator()(index_t i) const { ++visits[i]; }
};
}  // namespace

TEST_CASE("for_ranges covers [0, n) once, in parts of the grain or more") {
  Kokkos::DefaultHostExecutionSpace const space;  // devices have no ranges
  for (index_t n : {0, 1, 2, 7, 4096, 10007})
    for (index_t grain : {0, 1, 3, 4096, 1 << 20}) {
      std::vector<int> visits(static_cast<std::size_t>(n)), smaller(visits.size());
      kernels_detail::for_ranges("count", space, n, grain, [&](index_t begin, index_t end) {
        for (index_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
        if (end - begin < grain && end - begin < n) ++smaller[static_cast<std::size_t>(begin)];
      });
      CHECK(visits == std::vector<int>(static_cast<std::size_t>(n), 1));
      CHECK(smaller == std::vector<int>(static_cast<std::size_t>(n), 0));
    }
}

TEST_CASE("what the body of for_ranges throws on some thread reaches the caller, and the other ranges are complete") {
  Kokkos::DefaultHostExecutionSpace const space;
  index_t const n = 10007;
  for (index_t grain : {1, 1 << 20}) {
    std::vector<int> visits(static_cast<std::size_t>(n));
    auto const visit_but_last = [&](index_t begin, index_t end) {
      for (index_t i = begin; i < end; ++i)
        if (i == n - 1)
          throw std::bad_alloc();
        else
          ++visits[static_cast<std::size_t>(i)];
    };
    CHECK_THROWS_AS(kernels_detail::for_ranges("throws", space, n, grain, visit_but_last), std::bad_alloc);
    visits.back() += 1;
    CHECK(visits == std::vector<int>(static_cast<std::size_t>(n), 1));
  }
}

TEST_CASE("for_elements visits each element once") {
  Kokkos::DefaultExecutionSpace const space;
  for (index_t n : {0, 1, 10007}) {
    test::shared_vector<int> visits(static_cast<std::size_t>(n));
    kernels_detail::for_elements("count", space, n, count_visit{visits.data()});
    space.fence();
    CHECK(visits == test::shared_vector<int>(static_cast<std::size_t>(n), 1));
  }
}
