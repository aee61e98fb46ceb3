// Reductions against naive loops, by rows and by elements.
#include "ashlar/kernels/reduce.hpp"
#include "support/shared_vector.hpp"
#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace ashlar;
using test::shared_vector;

namespace {

Kokkos::DefaultExecutionSpace space() { return {}; }
std::mt19937 generator(4);
index_t random_index(index_t first, index_t last) {
  return std::uniform_int_distribution<index_t>(first, last)(generator);
}

shape random_shape(int rank) {
  shape s;
  for (s.rank = 0; s.rank < rank; ++s.rank)
    s.extent[s.rank] = random_index(0, 30) == 0 ? 0 : random_index(1, rank < 5 ? 7 : 3);
  return s;
}

// Values whose sums, and products of which, are exact in every type.
template <class Op, class T>
shared_vector<T> numbers(index_t n) {
  shared_vector<T> v;
  v.reserve(static_cast<std::size_t>(n));
  for (index_t i = 0; i < n; ++i) {
    auto const x = static_cast<int>(random_index(-9, 9));
    v.push_back(T(!std::is_same_v<Op, op::prod> ? x : x < 0 ? -1 : 1));
  }
  return v;
}

// Row-major number, among the kept dimensions, of each element's output.
std::size_t output(shape const& s, unsigned dims, index_t i) {
  index_t number = 0, weight = 1;
  for (int d = s.rank - 1; d >= 0; i /= s[d--])
    if (!(dims >> d & 1)) {
      number += i % s[d] * weight;
      weight *= s[d];
    }
  return static_cast<std::size_t>(number);
}

index_t outputs(shape const& s, unsigned dims) {
  index_t n = 1;
  for (int d = 0; d < s.rank; ++d) n *= dims >> d & 1 ? 1 : s[d];
  return n;
}

template <class Op, class T>
void check_reduce(shape const& s, unsigned dims) {
  auto const in = numbers<Op, T>(s.size());
  shared_vector<T> expected(static_cast<std::size_t>(outputs(s, dims)), Op::template identity<T>());
  for (index_t i = 0; i < s.size(); ++i) {
    T& e = expected[output(s, dims, i)];
    e = Op::combine(e, in[static_cast<std::size_t>(i)]);
  }
  shared_vector<T> out(expected.size() + 1, T(77));
  kernels::reduce<Op>(space(), in.data(), s, dims, out.data());
  space().fence();
  CHECK(out.back() == T(77));
  out.pop_back();
  CHECK(out == expected);

  std::fill(out.begin(), out.end(), T(77));
  using leaves = kernels_detail::leaves<kernels::strided<T>>;
  kernels_detail::reduction<Op, T, kernels_detail::same_value, leaves> const r(
      s, dims, out.data(), {}, leaves(kernels::contiguous(in.data(), s)));
  kernels_detail::reduce_by_elements(space(), r);
  space().fence();
  CHECK(out == expected);
}

template <class T>
void check_operations(shape const& s, unsigned dims) {
  check_reduce<op::sum, T>(s, dims);
  check_reduce<op::prod, T>(s, dims);
  if constexpr (std::is_arithmetic_v<T>) {
    check_reduce<op::max, T>(s, dims);
    check_reduce<op::min, T>(s, dims);
  }
}

struct squared_distance {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x, T m) const {
    return (x - m) * (x - m);
  }
};

}  // namespace

TEST_CASE_TEMPLATE("reduce over every set of dimensions, rank 0 to 8", T, float, double, std::int32_t, std::int64_t,
                   Kokkos::complex<double>) {
  for (int rank = 0; rank <= 8; ++rank)
    for (int repeat = 0; repeat < 20; ++repeat) {
      shape const s = random_shape(rank);
      if (rank > 3)
        check_operations<T>(s, static_cast<unsigned>(random_index(0, (1 << rank) - 1)));
      else
        for (unsigned dims = 0; dims < 1u << rank; ++dims) check_operations<T>(s, dims);
    }
}

TEST_CASE("shapes that are cut into slices, strips and threads' shares" * doctest::test_suite("nightly")) {
  for (shape const& s : {shape::of(300007), shape::of(3, 50021), shape::of(50021, 3), shape::of(5, 10007),
                         shape::of(10007, 5), shape::of(3, 50021, 2), shape::of(40, 100, 40), shape::of(2, 3, 2, 20011),
                         shape::of(128, 10), shape::of(3001, 70), shape::of(33, 70001), shape::of(2500, 40, 3),
                         shape::of(35, 2500, 33), shape::of(1030, 4100)})
    for (unsigned dims = 0; dims < 1u << s.rank; ++dims) {
      check_reduce<op::sum, double>(s, dims);
      check_reduce<op::max, std::int32_t>(s, dims);
    }
}

TEST_CASE("without elements the result is the identity") {
  for (unsigned dims : {1u, 2u, 3u}) {
    check_operations<float>(shape::of(0, 3), dims);
    check_operations<std::int64_t>(shape::of(3, 0), dims);
  }
}

TEST_CASE_TEMPLATE("a NaN makes the maximum and the minimum over it NaN, and no other", T, float, double) {
  T const nan = std::numeric_limits<T>::quiet_NaN();
  auto const check = [&]<class Op>(Op, shape const& s, unsigned dims) {
    auto in = numbers<op::sum, T>(s.size());
    for (index_t n = 0; n < 1 + s.size() / 100; ++n) in[static_cast<std::size_t>(random_index(0, s.size() - 1))] = nan;
    shared_vector<T> expected(static_cast<std::size_t>(outputs(s, dims)), Op::template identity<T>()), out = expected;
    for (index_t i = 0; i < s.size(); ++i) {
      T& e = expected[output(s, dims, i)];
      T const x = in[static_cast<std::size_t>(i)];
      if (std::isnan(x))
        e = nan;
      else if (!std::isnan(e))
        e = std::is_same_v<Op, op::max> ? std::max(e, x) : std::min(e, x);
    }
    auto const is_expected = [&] {
      return std::equal(out.begin(), out.end(), expected.begin(),
                        [](T a, T b) { return a == b || (std::isnan(a) && std::isnan(b)); });
    };
    kernels::reduce<Op>(space(), in.data(), s, dims, out.data());
    space().fence();
    CHECK(is_expected());
    std::fill(out.begin(), out.end(), T(77));
    using leaves = kernels_detail::leaves<kernels::strided<T>>;
    kernels_detail::reduce_by_elements(space(),
                                       kernels_detail::reduction<Op, T, kernels_detail::same_value, leaves>(
                                           s, dims, out.data(), {}, leaves(kernels::contiguous(in.data(), s))));
    space().fence();
    CHECK(is_expected());
  };
  for (shape const& s : {shape::of(1), shape::of(1003), shape::of(7, 131), shape::of(131, 7), shape::of(40, 30, 40),
                         shape::of(5, 50021), shape::of(50021, 5)})
    for (unsigned dims = 1; dims < 1u << s.rank; ++dims) {
      check(op::max{}, s, dims);
      check(op::min{}, s, dims);
    }
}

// Equal numbers, each of which rounds in a long sum the same way.
TEST_CASE("sums of many numbers in float are near those in double" * doctest::test_suite("nightly")) {
  for (shape const& s :
       {shape::of(1 << 20, 32), shape::of(32, 1 << 19), shape::of(1 << 20, 5), shape::of(1 << 12, 64, 1 << 5)})
    for (unsigned dims = 1; dims < 1u << s.rank; ++dims) {
      index_t const terms = s.size() / outputs(s, dims);
      float const each = 1.f / (static_cast<float>(terms) * 1.1f);
      shared_vector<float> const in(static_cast<std::size_t>(s.size()), each);
      shared_vector<float> out(static_cast<std::size_t>(outputs(s, dims)));
      kernels::reduce<op::sum>(space(), in.data(), s, dims, out.data());
      space().fence();
      double const expected = static_cast<double>(each) * static_cast<double>(terms);
      double const tolerance =
          dims >> (s.rank - 1) & 1 ? 2e-5 : 1e-5;  // a running total of a row takes twice as many terms
      CAPTURE(s.rank);
      CAPTURE(s[0]);
      CAPTURE(dims);
      CHECK(
          std::all_of(out.begin(), out.end(), [&](float x) { return std::abs(x - expected) <= tolerance * expected; }));
    }
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST_CASE("a sum has the same bits for every number of threads") {
  Kokkos::OpenMP const one_thread(1);
  for (shape const& s :
       {shape::of(300007), shape::of(3, 50021), shape::of(50021, 3), shape::of(1000, 100), shape::of(5000, 100)})
    for (unsigned dims = 1; dims < 1u << s.rank; ++dims) {
      shared_vector<float> in;
      for (index_t i = 0; i < s.size(); ++i) in.push_back(std::uniform_real_distribution<float>(0, 1)(generator));
      shared_vector<float> out(static_cast<std::size_t>(outputs(s, dims))), alone(out.size());
      kernels::reduce<op::sum>(Kokkos::OpenMP(), in.data(), s, dims, out.data());
      kernels::reduce<op::sum>(one_thread, in.data(), s, dims, alone.data());
      CHECK(out == alone);
    }
}
#endif

TEST_CASE("map_reduce reduces the values of an expression") {
  for (shape const& s : {shape::of(7, 5), shape::of(3, 1009), shape::of(2003, 10), shape::of(50021, 2)})
    for (unsigned dims = 0; dims < 4; ++dims) {
      auto const x = numbers<op::sum, double>(s.size()), rows = numbers<op::sum, double>(s[0]);
      shared_vector<double> expected(static_cast<std::size_t>(outputs(s, dims))), out = expected;
      for (index_t i = 0; i < s.size(); ++i) {
        double const distance = x[static_cast<std::size_t>(i)] - rows[static_cast<std::size_t>(i / s[1])];
        expected[output(s, dims, i)] += distance * distance;
      }
      kernels::map_reduce<op::sum>(space(), s, dims, out.data(), squared_distance{}, kernels::contiguous(x.data(), s),
                                   kernels::strided<double>{rows.data(), {1, 0}});
      space().fence();
      CHECK(out == expected);
    }
}
