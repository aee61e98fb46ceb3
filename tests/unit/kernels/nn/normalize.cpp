// Normalisation of rows and sums over channels against their definitions in long double: many and few rows and columns,
// and means that are large beside the deviation.
#include "ashlar/kernels/nn/channels.hpp"
#include "ashlar/kernels/nn/normalize.hpp"
#include "support/device_array.hpp"
#include "support/larger.hpp"
#include "support/shards.hpp"
#include <doctest/doctest.h>
#include <cmath>
#include <random>

using namespace ashlar;
using namespace test;

namespace {

template <class T>
std::vector<T> numbers(index_t size, unsigned seed, double mean = 0) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(mean, 1);
  std::vector<T> v(static_cast<std::size_t>(size));
  for (T& x : v) x = static_cast<T>(normal(random));
  return v;
}

template <class A, class B>
double difference(std::vector<A> const& found, std::vector<B> const& expected) {
  if (found.size() != expected.size()) return HUGE_VAL;
  double worst = 0, largest = 1;
  for (std::size_t i = 0; i < found.size(); ++i) {
    worst = test::larger(worst, static_cast<double>(std::abs(static_cast<long double>(found[i]) -
                                                             static_cast<long double>(expected[i]))));
    largest = std::max(largest, static_cast<double>(std::abs(expected[i])));
  }
  return worst / largest;
}

struct product {
  KOKKOS_FUNCTION float operator()(float x, float y) const { return x * y; }
};

template <bool Centered, class T>
void check_rows(index_t rows, index_t n, double mean, double tolerance) {
  CAPTURE(rows);
  CAPTURE(n);
  double const epsilon = 1e-3;
  auto const x = numbers<T>(rows * n, 1, mean), scale = numbers<T>(n, 2), shift = numbers<T>(n, 3),
             ct = numbers<T>(rows * n, 4);
  std::vector<long double> y(x.size()), dx(x.size()), d_scale(scale.size());
  for (index_t r = 0; r < rows; ++r) {
    auto const at = [&](index_t j) { return static_cast<std::size_t>(r * n + j); };
    auto const column = [](index_t j) { return static_cast<std::size_t>(j); };
    long double m = 0, v = 0, g = 0, gh = 0;
    auto const count = static_cast<long double>(n);
    for (index_t j = 0; Centered && j < n; ++j) m += x[at(j)] / count;
    for (index_t j = 0; j < n; ++j) v += (x[at(j)] - m) * (x[at(j)] - m) / count;
    long double const inverse = 1 / std::sqrt(v + static_cast<long double>(epsilon));
    auto const h = [&](index_t j) { return (x[at(j)] - m) * inverse; };
    for (index_t j = 0; j < n; ++j) {
      long double const s = static_cast<long double>(scale[column(j)]) * ct[at(j)];
      g += Centered ? s / count : 0;
      gh += s * h(j) / count;
    }
    for (index_t j = 0; j < n; ++j) {
      y[at(j)] = h(j) * scale[column(j)] + shift[column(j)];
      dx[at(j)] = (static_cast<long double>(scale[column(j)]) * ct[at(j)] - g - h(j) * gh) * inverse;
      d_scale[column(j)] += ct[at(j)] * h(j);
    }
  }
  auto const in = to_device(x), a = to_device(scale), b = to_device(shift), d = to_device(ct);
  device_array<T> const out("test", x.size()), d_in("test", x.size()), d_a("test", scale.size());
  shape const s = shape::of(rows, n), row = shape::of(n);
  auto const shard = [](auto const& of, shape const& extents) {
    return kernels::shard<T const>{of.data(), region_of(extents), extents};
  };
  run(ops_detail::normalize_op<Centered, 1>{epsilon}, space(), new_scratch<>, result(out.data(), s), shard(in, s),
      shard(a, row), shard(b, row));
  run(ops_detail::normalize_pullback_op<Centered, 1>{{}, epsilon}, space(), new_scratch<>, result(d_in.data(), s),
      shard(d, s), shard(in, s), shard(a, row));
  run(ops_detail::normalize_scale_pullback_op<Centered, 1>{epsilon}, space(), new_scratch<>, result(d_a.data(), row),
      shard(d, s), shard(in, s));
  CHECK(difference(to_host(out), y) <= tolerance);
  CHECK(difference(to_host(d_in), dx) <= tolerance);
  CHECK(difference(to_host(d_a), d_scale) <= tolerance);
}

}  // namespace

TEST_CASE("normalisation of rows") {
  for (index_t rows : {0, 1, 3, 100})
    for (index_t n : {0, 1, 5, 37, 400}) {
      check_rows<true, double>(rows, n, 0.5, 1e-12);
      check_rows<false, double>(rows, n, 0.5, 1e-12);
    }
  check_rows<true, float>(60, 300, 1000, 3e-3);  // of six digits of x three are its mean's
  check_rows<false, float>(60, 300, 0.5, 1e-5);
}

TEST_CASE("sums over channels, and maps of channels") {
  for (index_t rows : {0, 1, 7, 300, 5000})
    for (index_t channels : {0, 1, 3, 12, 200}) {
      CAPTURE(rows);
      CAPTURE(channels);
      auto const x = numbers<float>(rows * channels, 5, 100), ct = numbers<float>(rows * channels, 6);
      auto const k = numbers<float>(channels, 7, 100);
      std::vector<long double> moments(static_cast<std::size_t>(2 * channels)), sums = moments;
      std::vector<float> mapped(x.size());
      for (index_t i = 0; i < rows * channels; ++i) {
        auto const at = static_cast<std::size_t>(i), c = static_cast<std::size_t>(i % channels),
                   next = c + static_cast<std::size_t>(channels);
        long double const u = static_cast<long double>(x[at]) - k[c];
        moments[c] += u;
        moments[next] += u * u;
        sums[c] += ct[at] * u;
        sums[next] += ct[at];
        mapped[at] = x[at] * k[c];
      }
      auto const in = to_device(x), cotangent = to_device(ct), by = to_device(k);
      device_array<double> const found("test", moments.size());
      device_array<float> const y("test", x.size());
      kernels_detail::channel_sums<kernels_detail::moment_terms, space, float>(space(), in.data(), in.data(), rows,
                                                                               channels, by.data(), found.data());
      CHECK(difference(to_host(found), moments) <= 1e-6);
      kernels_detail::channel_sums<kernels_detail::affine_terms, space, float>(space(), in.data(), cotangent.data(),
                                                                               rows, channels, by.data(), found.data());
      CHECK(difference(to_host(found), sums) <= 1e-6);
      kernels::map_channels<space, float>(space(), rows, channels, y.data(), product{}, in.data(), by.data());
      CHECK(to_host(y) == mapped);
    }
}

// Moments about 0 while the moving mean has not come near yet.
TEST_CASE("moments about a center that is far from the mean give the variance") {
  for (index_t rows : {128, 4096, 4101})
    for (index_t channels : {64, 12}) {
      CAPTURE(rows);
      CAPTURE(channels);
      auto const x = numbers<float>(rows * channels, 8, 1000);
      auto const in = to_device(x), center = to_device(std::vector<float>(static_cast<std::size_t>(channels)));
      device_array<double> const found("test", static_cast<std::size_t>(2 * channels));
      kernels_detail::channel_sums<kernels_detail::moment_terms, space, float>(space(), in.data(), in.data(), rows,
                                                                               channels, center.data(), found.data());
      auto const moments = to_host(found);
      double worst = 0;
      for (index_t c = 0; c < channels; ++c) {
        double mean = 0, variance = 0;
        auto const at = [&](index_t r) { return static_cast<double>(x[static_cast<std::size_t>(r * channels + c)]); };
        for (index_t r = 0; r < rows; ++r) mean += at(r) / static_cast<double>(rows);
        for (index_t r = 0; r < rows; ++r) variance += (at(r) - mean) * (at(r) - mean) / static_cast<double>(rows);
        double const first = moments[static_cast<std::size_t>(c)] / static_cast<double>(rows),
                     second = moments[static_cast<std::size_t>(channels + c)] / static_cast<double>(rows);
        worst = test::larger(worst, std::abs(first - mean));
        worst = test::larger(worst, std::abs(second - first * first - variance) / variance);
      }
      CHECK(worst < 1e-4);
    }
}
