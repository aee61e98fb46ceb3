// Fused expressions against naive loops, by rows and by elements.
#include "ashlar/kernels/roots.hpp"
#include "support/shared_vector.hpp"
#include <doctest/doctest.h>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace ashlar;
using kernels::strided;
using test::shared_vector;

namespace {

Kokkos::DefaultExecutionSpace space() { return {}; }
std::mt19937 generator(3);
index_t random_index(index_t last) { return std::uniform_int_distribution<index_t>(0, last)(generator); }

shape random_shape(int rank) {
  static constexpr index_t extents[] = {1, 2, 3, 5, 7, 0};
  shape s;
  for (s.rank = 0; s.rank < rank; ++s.rank)
    s.extent[s.rank] = random_index(30) == 0 ? 0 : extents[random_index(rank < 5 ? 4 : 2)];
  return s;
}

// Small integers: sums of products are exact in every type.
template <class T>
shared_vector<T> numbers(index_t n) {
  shared_vector<T> v;
  v.reserve(static_cast<std::size_t>(n));
  for (index_t i = 0; i < n; ++i) v.push_back(T(static_cast<int>(random_index(20)) - 10));
  return v;
}

index_t offset(shape const& s, index_t i, index_t const* stride) {
  index_t sum = 0;
  for (int d = s.rank - 1; d >= 0; i /= s[d--]) sum += i % s[d] * stride[d];
  return sum;
}

// An array of its own extents, broadcast to s along random dimensions, the others in row-major or in reverse order.
template <class T>
struct operand {
  shared_vector<T> data;
  strided<T> leaf;

  explicit operand(shape const& s) : leaf{nullptr, {}} {
    bool const reverse = random_index(2) == 0;
    index_t n = 1;
    for (int k = 0; k < s.rank; ++k) {
      int const d = reverse ? k : s.rank - 1 - k;
      if (random_index(2) == 0) continue;
      leaf.stride[d] = n;
      n *= s[d];
    }
    data = numbers<T>(n + 1);
    leaf.data = data.data();
  }
  T operator()(shape const& s, index_t i) const { return data[static_cast<std::size_t>(offset(s, i, leaf.stride))]; }
};

struct multiply_add {
  template <class A, class B, class C>
  KOKKOS_FUNCTION A operator()(A a, B b, C c) const {
    return static_cast<A>(a * b + c);
  }
};

template <class T, class F, class... Leaf>
shared_vector<T> by_elements(shape const& s, F const& f, Leaf const&... leaf) {
  shared_vector<T> out(static_cast<std::size_t>(s.size()));
  using leaves = kernels_detail::leaves<Leaf...>;
  leaves const l(leaf...);
  kernels_detail::map_kernel<T, F, leaves> const kernel{l.nest(s, kernels_detail::row_major_strides(s).stride),
                                                        out.data(), f, l};
  kernels_detail::for_elements("test", space(), kernel.nest.size(), kernel);
  space().fence();
  return out;
}

template <class T, class F, class... Leaf>
shared_vector<T> by_map(shape const& s, F const& f, Leaf const&... leaf) {
  shared_vector<T> out(static_cast<std::size_t>(s.size()) + 1, T(77));
  kernels::map(space(), s, out.data(), f, leaf...);
  space().fence();
  CHECK(out.back() == T(77));
  out.pop_back();
  return out;
}

template <class T>
void check_multiply_add(shape const& s) {
  operand<T> const a(s), b(s), c(s);
  shared_vector<T> expected;
  expected.reserve(static_cast<std::size_t>(s.size()));
  for (index_t i = 0; i < s.size(); ++i) expected.push_back(static_cast<T>(a(s, i) * b(s, i) + c(s, i)));
  CHECK(by_map<T>(s, multiply_add{}, a.leaf, b.leaf, c.leaf) == expected);
  CHECK(by_elements<T>(s, multiply_add{}, a.leaf, b.leaf, c.leaf) == expected);
}

struct twice {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return static_cast<T>(x + x);
  }
};
struct plus {
  KOKKOS_FUNCTION double operator()(std::int32_t a, index_t g) const { return static_cast<double>(a + g) / 2; }
};
struct seven {
  KOKKOS_FUNCTION int operator()() const { return 7; }
};
struct exchange_and_add {
  template <class T>
  KOKKOS_FUNCTION void operator()(T& a, T& b, T const& c) const {
    T const old = a;
    a = b;
    b = old + c;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("map with broadcast and transposed operands of rank 0 to 8", T, float, double, std::int32_t,
                   std::int64_t, Kokkos::complex<double>) {
  for (int rank = 0; rank <= 8; ++rank)
    for (int repeat = 0; repeat < 40; ++repeat) check_multiply_add<T>(random_shape(rank));
}

TEST_CASE("map over rows longer than a piece and arrays larger than one thread's share") {
  for (int repeat = 0; repeat < 10; ++repeat)
    for (shape const& s :
         {shape::of(10007), shape::of(3, 1009), shape::of(7, 3, 521), shape::of(2003, 10), shape::of(2, 10007)})
      check_multiply_add<float>(s);
}

TEST_CASE("a global index is base + sum of index * stride; types may differ") {
  for (int repeat = 0; repeat < 50; ++repeat) {
    shape const s = random_shape(3);
    operand<std::int32_t> const a(s);
    kernels::global_index const g{index_t{1} << 40, {700, 80, 1}};
    shared_vector<double> expected;
    for (index_t i = 0; i < s.size(); ++i)
      expected.push_back(static_cast<double>(a(s, i) + g.base + offset(s, i, g.stride)) / 2);
    CHECK(by_map<double>(s, plus{}, a.leaf, g) == expected);
    CHECK(by_elements<double>(s, plus{}, a.leaf, g) == expected);
  }
}

TEST_CASE("constants, and expressions without leaves") {
  shape const s = shape::of(3, 700);
  auto const x = numbers<float>(s.size());
  auto const y = by_map<float>(s, multiply_add{}, kernels::contiguous(x.data(), s), kernels::constant<float>{3},
                               kernels::constant<float>{2});
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == x[i] * 3 + 2);
  CHECK(y == by_elements<float>(s, multiply_add{}, kernels::contiguous(x.data(), s), kernels::constant<float>{3},
                                kernels::constant<float>{2}));
  CHECK(by_map<std::int64_t>(s, seven{}) == shared_vector<std::int64_t>(2100, 7));
  CHECK(by_map<float>(shape{}, seven{}) == shared_vector<float>{7});
}

TEST_CASE("map in place") {
  for (index_t n : {1, 7, 100, 10007}) {
    auto x = numbers<float>(n);
    auto const before = x;
    kernels::map(space(), shape::of(n), x.data(), twice{}, kernels::contiguous(x.data(), shape::of(n)));
    space().fence();
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(x[i] == 2 * before[i]);
  }
}

TEST_CASE_TEMPLATE("for_each updates several arrays at once", T, float, double, std::int64_t, Kokkos::complex<double>) {
  for (index_t n : {0, 1, 7, 100, 20011}) {
    auto a = numbers<T>(n), b = numbers<T>(n);
    auto const c = numbers<T>(n), a0 = a, b0 = b;
    kernels::for_each(space(), n, exchange_and_add{}, a.data(), b.data(), c.data());
    space().fence();
    auto expected = a0;
    for (std::size_t i = 0; i < a0.size(); ++i) expected[i] = a0[i] + c[i];
    CHECK(a == b0);
    CHECK(b == expected);

    auto a1 = a0, b1 = b0;
    kernels_detail::for_each_by_elements(space(), n, exchange_and_add{}, a1.data(), b1.data(), c.data());
    space().fence();
    CHECK(a1 == a);
    CHECK(b1 == b);
  }
}

namespace {
struct adds_the_root {
  template <class T>
  KOKKOS_FUNCTION T under_root(T& x, T const& y) const {
    x = x + 1;
    return y * y + x;
  }
  template <class T>
  KOKKOS_FUNCTION void with_root(T root, T& x, T const& y) const {
    x = root + y;
  }
};
}  // namespace

TEST_CASE_TEMPLATE("for_each_with_root takes the root of each element, several at once and one by one", T, float,
                   double) {
  for (index_t n : {0, 1, 3, 7, 64, 65, 127, 20011}) {
    shared_vector<T> x(static_cast<std::size_t>(n)), y = x, expected = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<T>(std::uniform_real_distribution<double>(0, 1e6)(generator));
      y[i] = static_cast<T>(std::uniform_real_distribution<double>(-10, 10)(generator));
      T const next = x[i] + 1, square = y[i] * y[i];
      expected[i] = std::sqrt(square + next) + y[i];
    }
    auto by_elements = x;
    kernels::for_each_with_root(space(), n, adds_the_root{}, x.data(), static_cast<T const*>(y.data()));
    kernels_detail::for_each_by_elements(space(), n, kernels_detail::with_root<adds_the_root>{}, by_elements.data(),
                                         static_cast<T const*>(y.data()));
    space().fence();
    for (std::size_t i = 0; i < x.size(); ++i) {
      CHECK(x[i] == doctest::Approx(expected[i]).epsilon(4 * static_cast<double>(std::numeric_limits<T>::epsilon())));
      CHECK(by_elements[i] ==
            doctest::Approx(expected[i]).epsilon(4 * static_cast<double>(std::numeric_limits<T>::epsilon())));
    }
  }
}
