// labels: sanitizers
// Pooling and its transpose against their definitions, element by element: all edges, sizes and strides.
#include "ashlar/kernels/nn/pooling.hpp"
#include "support/device_array.hpp"
#include "support/larger.hpp"
#include <doctest/doctest.h>
#include <cmath>
#include <random>

using namespace ashlar;
using namespace ashlar::nn;
using namespace test;
using kernels::pooled;

namespace {

template <class T>
std::vector<T> numbers(index_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> v(static_cast<std::size_t>(size));
  for (T& x : v) x = static_cast<T>(normal(random));
  return v;
}

template <class T>
void check_close(std::vector<T> const& found, std::vector<double> const& expected, double tolerance) {
  REQUIRE(found.size() == expected.size());
  double worst = 0, largest = 1;
  for (std::size_t i = 0; i < found.size(); ++i) {
    worst = test::larger(worst, std::abs(static_cast<double>(found[i]) - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  CHECK(worst <= tolerance * largest);
}

}  // namespace

TEST_CASE("pooling") {
  for (padding edge : {padding::valid, padding::same})
    for (index_t n : {1, 4, 7})
      for (index_t size : {1, 2, 3})
        for (index_t stride : {1, 2, 4})
          for (index_t channels : {1, 3}) {
            pooled const g{3, {n, size, stride, 1, edge}, {n + 2, size, stride, 1, edge}, channels};
            if (g.rows.count() == 0) continue;
            CAPTURE(n);
            CAPTURE(size);
            CAPTURE(stride);
            index_t const in = g.images * n * (n + 2) * channels,
                          out = g.images * g.rows.count() * g.columns.count() * channels;
            auto x = numbers<double>(in, 4);
            for (double& e : x) e = std::floor(e);  // so that there are ties
            auto const ct = numbers<double>(out, 5);
            std::vector<double> largest(ct.size()), mean(ct.size()), d_largest(x.size()), d_mean(x.size());
            for (index_t o = 0; o < out; ++o) {
              index_t const c = o % channels, j = o / channels % g.columns.count(),
                            i = o / (channels * g.columns.count()) % g.rows.count();
              index_t const image = o / (channels * g.columns.count() * g.rows.count());
              std::vector<std::size_t> inside;
              for (index_t y = g.rows.first(i); y < g.rows.first(i) + size; ++y)
                for (index_t z = g.columns.first(j); z < g.columns.first(j) + size; ++z)
                  if (y >= 0 && y < n && z >= 0 && z < n + 2)
                    inside.push_back(static_cast<std::size_t>(((image * n + y) * (n + 2) + z) * channels + c));
              std::size_t best = inside[0];
              double sum = 0;
              for (std::size_t at : inside) {
                if (x[at] > x[best]) best = at;
                sum += x[at];
              }
              auto const at = static_cast<std::size_t>(o);
              largest[at] = x[best];
              mean[at] = sum / static_cast<double>(inside.size());
              d_largest[best] += ct[at];
              for (std::size_t k : inside) d_mean[k] += ct[at] / static_cast<double>(inside.size());
            }
            auto const a = to_device(x), b = to_device(ct);
            device_array<double> const y("test", ct.size()), d("test", x.size());
            kernels_detail::run_pooling<kernels_detail::pool_kernel<double, true>>(space(), g, a.data(), y.data());
            check_close(to_host(y), largest, 0);
            kernels_detail::run_pooling<kernels_detail::pool_vjp_kernel<double, true>>(space(), g, a.data(), b.data(),
                                                                                       d.data());
            check_close(to_host(d), d_largest, 1e-14);
            kernels_detail::run_pooling<kernels_detail::pool_kernel<double, false>>(space(), g, a.data(), y.data());
            check_close(to_host(y), mean, 1e-14);
            kernels_detail::run_pooling<kernels_detail::pool_vjp_kernel<double, false>>(space(), g, a.data(), b.data(),
                                                                                        d.data());
            check_close(to_host(d), d_mean, 1e-14);
          }
}

TEST_CASE("pooling: a NaN in a window makes its maximum NaN, and the first has the cotangent") {
  double const nan = std::nan("");
  pooled const g{1, {2, 2, 2, 1, padding::valid}, {8, 2, 2, 1, padding::valid}, 1};
  auto const x = to_device(std::vector<double>{nan, 1, 2, 1, 1, 3, 1, nan,  //
                                               4, 5, 6, 7, 9, nan, nan, 3});
  auto const ct = to_device(std::vector<double>{1, 2, 3, 4});
  device_array<double> const y("test", 4), d("test", 16);
  kernels_detail::run_pooling<kernels_detail::pool_kernel<double, true>>(space(), g, x.data(), y.data());
  auto const largest = to_host(y);
  CHECK(std::isnan(largest[0]));
  CHECK(largest[1] == 7);
  CHECK(std::isnan(largest[2]));
  CHECK(std::isnan(largest[3]));
  kernels_detail::run_pooling<kernels_detail::pool_vjp_kernel<double, true>>(space(), g, x.data(), ct.data(), d.data());
  CHECK(to_host(d) == std::vector<double>{1, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 2, 0, 3, 0, 0});
}

TEST_CASE("pooling: the mean of 256 integers of 8 bits, which do not hold how many they are") {
  pooled const g{1, {16, 16, 1, 1, padding::valid}, {16, 16, 1, 1, padding::valid}, 1};
  std::vector<std::int8_t> x(256, 0);
  x[0] = 127;
  auto const a = to_device(x);
  device_array<std::int8_t> const y("test", 1);
  kernels_detail::run_pooling<kernels_detail::pool_kernel<std::int8_t, false>>(space(), g, a.data(), y.data());
  CHECK(to_host(y) == std::vector<std::int8_t>{0});  // 127 / 256
}
