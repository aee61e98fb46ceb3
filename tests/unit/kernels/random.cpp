// Random fills do not depend on how the array is cut; dropout masks follow the uniform numbers.
#include "ashlar/kernels/random.hpp"
#include "support/shared_vector.hpp"
#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace ashlar;
using test::shared_vector;

namespace {

Kokkos::DefaultExecutionSpace space() { return {}; }
std::mt19937 generator(6);
index_t random_index(index_t first, index_t last) {
  return std::uniform_int_distribution<index_t>(first, last)(generator);
}

struct uniform_fill {
  template <class T>
  void operator()(T* out, region const& part, shape const& global) const {
    kernels::fill_uniform(space(), out, part, global, prng_key{7}, T(-0.3), T(0.7));
    space().fence();
  }
};
struct normal_fill {
  template <class T>
  void operator()(T* out, region const& part, shape const& global) const {
    kernels::fill_normal(space(), out, part, global, prng_key{7}, T(0.1), T(3));
    space().fence();
  }
};

region whole(shape const& s) {
  region r;
  for (; r.rank < s.rank; ++r.rank) r.dim[r.rank] = {0, s[r.rank]};
  return r;
}

// Fills random parts of the array with extents s, some of them block-cyclic, and compares each element with the whole array's.
template <class T, class Fill>
void check_parts(shape const& s, Fill const& fill) {
  shared_vector<T> all(static_cast<std::size_t>(s.size()));
  fill(all.data(), whole(s), s);
  for (int repeat = 0; repeat < 40; ++repeat) {
    region part = whole(s);
    for (int d = 0; d < s.rank; ++d)
      if (repeat % 2 == 0) {
        index_t const lower = random_index(0, s[d]);
        part.dim[d] = {lower, random_index(lower, s[d])};
      } else if (random_index(0, 1) == 0) {
        int const ranks = static_cast<int>(random_index(1, 4));
        part.dim[d] = layout_detail::local_indices(
            s[d], layout_detail::axis_list{1, {0}, 1, static_cast<unsigned short>(random_index(1, 5))},
            mesh_shape{1, {ranks}}, static_cast<int>(random_index(0, ranks - 1)));
      }
    shared_vector<T> out(static_cast<std::size_t>(part.size()));
    fill(out.data(), part, s);
    index_t different = 0;
    for (index_t i = 0; i < part.size(); ++i) {
      index_t g = 0, rest = i;
      for (int d = s.rank - 1; d >= 0; rest /= part.dim[d--].size())
        g += part.dim[d][rest % part.dim[d].size()] * s.stride(d);
      different += out[static_cast<std::size_t>(i)] != all[static_cast<std::size_t>(g)];
    }
    CHECK(different == 0);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("an element's number depends on its global index alone", T, float, double) {
  for (shape const& s : {shape::of(2003), shape::of(31, 47), shape::of(3, 1009), shape::of(1009, 3), shape::of(5, 7, 6),
                         shape::of(3, 2, 3, 2, 3, 2, 3, 2)}) {
    check_parts<T>(s, uniform_fill{});
    check_parts<T>(s, normal_fill{});
  }
}

TEST_CASE_TEMPLATE("uniform numbers are those of the index, beyond 2^32 too", T, float, double) {
  for (index_t base : {index_t{0}, index_t{3}, (index_t{1} << 32) - 2, index_t{1} << 50}) {
    region part{2, {{base / 1000, base / 1000 + 9}, {base % 1000, base % 1000 + 33}}};
    shared_vector<T> out(297);
    kernels::fill_uniform(space(), out.data(), part, shape::of(index_t{1} << 41, 1000), prng_key{11}, 0, 1);
    space().fence();
    for (std::size_t i = 0; i < out.size(); ++i)
      CHECK(out[i] == uniform<T>(prng_key{11}, base + static_cast<index_t>(i / 33 * 1000 + i % 33)));
  }
}

namespace {
// 2^18 numbers of one key.
template <class T>
shared_vector<T> drawn_between(T low, T high) {
  shape const s = shape::of(1 << 18);
  shared_vector<T> x(static_cast<std::size_t>(s.size()));
  kernels::fill_uniform(space(), x.data(), whole(s), s, prng_key{7}, low, high);
  space().fence();
  return x;
}

// A range of few representable numbers, `gap` apart, which are multiples of the gap. Each is drawn as often as any other.
// The number of an index is low + k * gap, with k from exact integers.
template <class T>
void check_few(T low, T high, T gap) {
  auto const x = drawn_between(low, high);
  auto const n = static_cast<std::size_t>((high - low) / gap);
  std::vector<double> times(n);
  index_t different = 0, outside = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    outside += !(x[i] >= low && x[i] < high);
    constexpr int bits = std::numeric_limits<T>::digits;
    auto const u = static_cast<std::uint64_t>(std::ldexp(uniform<T>(prng_key{7}, static_cast<index_t>(i)), bits));
    auto const k = static_cast<std::size_t>(u * n >> bits);
    different += x[i] != low + static_cast<T>(k) * gap;
    times[k] += 1;
  }
  CHECK(different == 0);
  CHECK(outside == 0);
  double const expected = static_cast<double>(x.size()) / static_cast<double>(n);
  double chi_square = 0;
  for (double const t : times) chi_square += (t - expected) * (t - expected) / expected;
  auto const freedom = static_cast<double>(n - 1);
  CHECK(std::abs(chi_square - freedom) <= 5 * std::sqrt(2 * freedom));
}
}  // namespace

TEST_CASE("a range of few representable numbers gives each as often as the others, and never its end") {
  check_few(1e6f, 1e6f + 1, 0x1p-4f);
  check_few(-1e6f - 1, -1e6f, 0x1p-4f);
  check_few(-0x1p24f, -0x1p24f + 3, 1.f);
  check_few(1e15, 1e15 + 1, 0x1p-3);
  check_few(-1e15 - 1, -1e15, 0x1p-3);
  check_few(1., 1. + 0x1p-52, 0x1p-52);
  // The gap doubles at 2^24. Numbers above it are twice as likely.
  auto const x = drawn_between(0x1p24f - 8, 0x1p24f + 8);
  double below = 0, at = 0;
  for (float const v : x) below += v < 0x1p24f, at += v == 0x1p24f;
  auto const n = static_cast<double>(x.size());
  CHECK(std::abs(below / n - 0.5) < 5 * 0.5 / std::sqrt(n));
  CHECK(std::abs(at / n - 0.125) < 5 * 0.331 / std::sqrt(n));
}

TEST_CASE_TEMPLATE("wide and narrow ranges", T, float, double) {
  constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::denorm_min();
  T const half = std::is_same_v<T, float> ? most : most / 2;  // a double holds the distance of two floats
  struct range {
    T low, high;
  };
  for (auto const& [low, high] :
       {range{-half, half}, range{0, most}, range{-most, 0}, range{0, least}, range{-least, 0}, range{-least, least},
        range{-1, least}, range{0, 1}, range{-1, 1}, range{T(0.1), T(0.3)}}) {
    auto const x = drawn_between(low, high);
    index_t outside = 0;
    double smallest = 1, largest = 0, mean = 0;
    for (T const v : x) {
      outside += !(v >= low && v < high);
      // From 0 to 1, without an overflow.
      double const u = (static_cast<double>(v) / 4 - static_cast<double>(low) / 4) /
                       (static_cast<double>(high) / 4 - static_cast<double>(low) / 4);
      smallest = std::min(smallest, u), largest = std::max(largest, u), mean += u / static_cast<double>(x.size());
    }
    CHECK(outside == 0);
    if (high - low <= 2 * least) continue;
    CHECK(smallest < 1e-4);
    CHECK(largest > 1 - 1e-4);
    CHECK(std::abs(mean - 0.5) < 5 / std::sqrt(12. * static_cast<double>(x.size())));
  }
}

TEST_CASE_TEMPLATE("normal numbers have the normal moments and do not follow the uniform ones", T, float, double) {
  constexpr index_t n = 1 << 18;
  constexpr double count = n;
  shared_vector<T> z(n);
  kernels::fill_normal(space(), z.data(), whole(shape::of(n)), shape::of(n), prng_key{5}, 0, 1);
  space().fence();
  double sum[5]{}, neighbours = 0, with_uniform = 0, inside = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    double const x = static_cast<double>(z[i]);
    for (int p = 1; p <= 4; ++p) sum[p] += std::pow(x, p);
    if (i > 0) neighbours += x * static_cast<double>(z[i - 1]);
    with_uniform += x * (static_cast<double>(uniform<T>(prng_key{5}, static_cast<index_t>(i))) - 0.5);
    inside += std::abs(x) < 1;
  }
  double const deviation = std::sqrt(count);
  CHECK(std::abs(sum[1]) < 5 * deviation);
  CHECK(std::abs(sum[2] - count) < 5 * deviation * std::sqrt(2.));
  CHECK(std::abs(sum[3]) < 5 * deviation * std::sqrt(15.));
  CHECK(std::abs(sum[4] - 3 * count) < 5 * deviation * std::sqrt(96.));
  CHECK(std::abs(neighbours) < 5 * deviation);
  CHECK(std::abs(with_uniform) < 5 * deviation / std::sqrt(12.));
  CHECK(std::abs(inside / count - 0.682689) < 5 * 0.4655 / deviation);
}

TEST_CASE("normal numbers follow Box and Muller; one by one they are those of the fill") {
  shared_vector<double> z(100);
  kernels::fill_normal(space(), z.data(), whole(shape::of(100)), shape::of(100), prng_key{5}, 0, 1);
  space().fence();
  prng_key const key = kernels_detail::normal_key(prng_key{5});
  kernels::random_numbers<kernels_detail::normal_generator<double>> const leaf{prng_key{5}, 0, {1}};
  for (index_t i = 0; i < 100; i += 2) {
    double const radius = std::sqrt(-2 * std::log1p(-uniform<double>(key, i)));
    double const angle = 2 * std::acos(-1.) * uniform<double>(key, i + 1);
    CHECK(z[static_cast<std::size_t>(i)] == doctest::Approx(radius * std::cos(angle)).epsilon(1e-12));
    CHECK(z[static_cast<std::size_t>(i) + 1] == doctest::Approx(radius * std::sin(angle)).epsilon(1e-12));
    CHECK(z[static_cast<std::size_t>(i)] == doctest::Approx(leaf.at(i)).epsilon(1e-14));
  }
}

TEST_CASE("a dropout mask is the same for float and double and follows the uniform numbers") {
  shape const s = shape::of(64, 100);
  kernels::uniform_numbers<float> const numbers{prng_key{9}, 100, {200, 1}};
  shared_vector<float> x(6400, 2.f), y(6400);
  shared_vector<double> xd(6400, 2.), yd(6400);
  kernels::map(space(), s, y.data(), kernels::dropout<float>(0.4), kernels::contiguous(x.data(), s), numbers);
  kernels::map(space(), s, yd.data(), kernels::dropout<double>(0.4), kernels::contiguous(xd.data(), s), numbers);
  space().fence();
  int dropped = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    bool const drop = uniform<float>(prng_key{9}, static_cast<index_t>(100 + i / 100 * 200 + i % 100)) < 0.4f;
    CHECK(y[i] == (drop ? 0 : 2 * static_cast<float>(1 / 0.6)));
    CHECK(yd[i] == (drop ? 0 : 2 * (1 / 0.6)));
    dropped += drop;
  }
  CHECK(std::abs(dropped / 6400. - 0.4) < 5 * std::sqrt(0.24 / 6400));
}
