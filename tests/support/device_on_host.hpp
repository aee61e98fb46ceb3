// The bodies that kernels have for devices, run by the host's threads and compared with the host's own bodies.
#pragma once
#include "ashlar/kernels/products/blas.hpp"
#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <vector>

namespace ashlar::test {

using host_space = Kokkos::DefaultHostExecutionSpace;

/// An execution space whose kernels are the ones of devices. Its teams have up to `Lanes` threads, if there are as many.
template <int Lanes>
struct device_on_host : host_space {
  friend int lanes_per_team(device_on_host const& s) { return std::min(Lanes, static_cast<int>(s.concurrency())); }
};

inline bool is_near(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b) || std::isinf(b)) return (std::isnan(a) && std::isnan(b)) || a == b;
  return std::abs(a - b) <= tolerance * std::max(1., std::abs(b));
}

/// Calls f(space, result) for the host's bodies, and for the ones of devices by teams of 1 and of 3 threads. The results
/// have n elements, and are the same up to a relative difference. Beyond them nothing is written.
template <class T, class F>
void check_bodies(index_t n, F const& f, double tolerance = 0) {
  auto const run = [&](auto const& on) {
    std::vector<T> y(static_cast<std::size_t>(n) + 1, T(-77));
    f(on, y.data());
    on.fence();
    CHECK(y.back() == T(-77));
    return y;
  };
  auto const expected = run(host_space());
  for (auto const& found : {run(device_on_host<1>()), run(device_on_host<3>())}) {
    std::size_t other = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
      other += !is_near(static_cast<double>(found[i]), static_cast<double>(expected[i]), tolerance);
    CHECK(other == 0);
  }
}

}  // namespace ashlar::test

namespace ashlar::kernels_detail {

/// The host's BLAS in the place of a device's.
template <int Lanes>
struct device_blas<test::device_on_host<Lanes>> {
  test::device_on_host<Lanes> space;
  template <class T>
  void gemm(index_t m, index_t n, index_t k, T alpha, matrix<T> a, matrix<T> b, T beta, T* c, index_t ldc) const {
    host_blas::gemm(m, n, k, alpha, a, b, beta, c, ldc);
  }
  // As for numbers that do not fit int.
  template <class Product>
  bool gemm_batch(Product const&, index_t) const {
    return false;
  }
};

}  // namespace ashlar::kernels_detail
