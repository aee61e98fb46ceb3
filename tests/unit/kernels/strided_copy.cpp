// labels: sanitizers
// Copies of boxes against naive loops over indices.
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/ops/functions.hpp"
#include "support/shared_vector.hpp"
#include <doctest/doctest.h>
#include <numeric>
#include <random>
#include <vector>

using namespace ashlar;
using test::shared_vector;

namespace {

Kokkos::DefaultExecutionSpace space() { return {}; }
std::mt19937 generator(5);

index_t random_index(index_t first, index_t last) {
  return std::uniform_int_distribution<index_t>(first, last)(generator);
}

shape random_shape(int rank) {
  static constexpr index_t extents[] = {1, 2, 3, 4, 5, 7, 11};
  shape s;
  for (s.rank = 0; s.rank < rank; ++s.rank) s.extent[s.rank] = extents[random_index(0, rank < 5 ? 6 : 2)];
  return s;
}

// A random region; in about a third of the dimensions it is whole, now and then it is empty.
kernels::box random_box(shape const& s) {
  kernels::box b;
  for (int d = 0; d < s.rank; ++d) {
    bool const whole = random_index(0, 2) == 0;
    b.lower[d] = whole ? 0 : random_index(0, s[d] - 1);
    b.extent[d] = whole ? s[d] : random_index(random_index(0, 20) == 0 ? 0 : 1, s[d] - b.lower[d]);
  }
  return b;
}

// Row-major offsets in an array of all elements of a box, in row-major order: one loop per dimension.
std::vector<std::size_t> offsets(shape const& s, kernels::box const& b) {
  std::vector<std::size_t> all{0};
  for (int d = 0; d < s.rank; ++d) {
    std::vector<std::size_t> next;
    for (std::size_t o : all)
      for (index_t i = 0; i < b.extent[d]; ++i)
        next.push_back(o * static_cast<std::size_t>(s[d]) + static_cast<std::size_t>(b.lower[d] + i));
    all = next;
  }
  return all;
}

template <class T>
shared_vector<T> numbers(index_t n) {
  shared_vector<T> v(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = T(static_cast<ops_detail::component_t<T>>(static_cast<int>(i) + 1));
  return v;
}

}  // namespace

TEST_CASE("copy_region moves a box between arrays of different extents") {
  for (int rank = 1; rank <= 8; ++rank)
    for (int repeat = 0; repeat < 50; ++repeat) {
      shape const s = random_shape(rank);
      kernels::box const from = random_box(s);
      shape t = s;
      kernels::box to = from;
      for (int d = 0; d < rank; ++d) {
        to.lower[d] = random_index(0, 2);
        t[d] = to.lower[d] + to.extent[d] + random_index(0, 2);
      }
      auto const source = numbers<float>(s.size());
      shared_vector<float> destination(static_cast<std::size_t>(t.size()), -1.f), expected = destination;
      auto const read = offsets(s, from), written = offsets(t, to);
      for (std::size_t i = 0; i < read.size(); ++i) expected[written[i]] = source[read[i]];
      kernels::copy_region(space(), source.data(), s, from, destination.data(), t, to);
      space().fence();
      CHECK(destination == expected);
    }
}

TEST_CASE_TEMPLATE("fill and copy", T, float, std::int64_t, Kokkos::complex<double>) {
  for (index_t n : {0, 1, 2, 7, 4096, 100003}) {
    auto const source = numbers<T>(n);
    shared_vector<T> destination(source.size() + 1, T(-1));
    kernels::copy(space(), source.data(), destination.data(), n);
    space().fence();
    CHECK(destination.back() == T(-1));
    destination.pop_back();
    CHECK(destination == source);
    kernels::fill(space(), destination.data(), n, T(5));
    space().fence();
    CHECK(destination == shared_vector<T>(source.size(), T(5)));
  }
}

TEST_CASE_TEMPLATE("transposes of small and large matrices, of tiles that are whole or not, at any address", T,
                   std::int8_t, float, double, Kokkos::complex<float>, Kokkos::complex<double>) {
  // From 4 MiB on rows of whole tiles are stored past the caches, if their addresses are multiples of 16.
  index_t const large = (4 << 20) / static_cast<index_t>(sizeof(T)) / 1024 + 3;
  std::vector<shape> shapes{shape::of(3, 5),     shape::of(16, 32),      shape::of(33, 47),     shape::of(130, 259),
                            shape::of(2, 70, 9), shape::of(large, 1024), shape::of(1025, large)};
  if constexpr (sizeof(T) > 1) shapes.push_back(shape::of(3, large / 2, 1030));
  for (shape const& s : shapes)
    for (index_t offset : {0, 1}) {
      CAPTURE(s[0]);
      CAPTURE(s[1]);
      index_t const m = s[s.rank - 2], n = s[s.rank - 1];
      int order[layout_detail::max_rank]{1, 0};
      if (s.rank == 3) order[0] = 0, order[1] = 2, order[2] = 1;
      auto const source = numbers<T>(s.size() + offset);
      shared_vector<T> destination(static_cast<std::size_t>(s.size() + offset + 1), T(-1));
      kernels::permute(space(), source.data() + offset, s, order, destination.data() + offset);
      space().fence();
      index_t wrong = destination.back() != T(-1);
      for (index_t i = 0; i < s.size(); ++i) {
        index_t const matrix = i / (m * n), row = i / n % m, column = i % n;
        wrong += destination[static_cast<std::size_t>(offset + (matrix * n + column) * m + row)] !=
                 source[static_cast<std::size_t>(offset + i)];
      }
      CHECK(wrong == 0);
    }
}
