// labels: threads sanitizers
// Convolution and its transposes against their definitions, element by element: all edges, strides and
// dilations, images of more windows than are held at once, and none.
#include "ashlar/kernels/nn/convolution.hpp"
#include "support/device_array.hpp"
#include "support/device_on_host.hpp"
#include "support/larger.hpp"
#include <doctest/doctest.h>
#include <cmath>
#include <random>

using namespace ashlar;
using namespace ashlar::nn;
using namespace test;
using kernels::convolution;

namespace {

template <class T>
std::vector<T> numbers(index_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> v(static_cast<std::size_t>(size));
  for (T& x : v) x = static_cast<T>(normal(random));
  return v;
}

// Calls f(offset in the images, in the kernel, in the result) for all products of a convolution.
template <class F>
void for_each_product(convolution const& g, F const& f) {
  index_t out = 0;
  for (index_t n = 0; n < g.images; ++n)
    for (index_t i = 0; i < g.rows.count(); ++i)
      for (index_t j = 0; j < g.columns.count(); ++j, out += g.filters)
        for (index_t k = 0; k < g.rows.size; ++k)
          for (index_t l = 0; l < g.columns.size; ++l) {
            index_t const y = i * g.rows.stride - g.rows.before() + k * g.rows.dilation;
            index_t const x = j * g.columns.stride - g.columns.before() + l * g.columns.dilation;
            if (y < 0 || y >= g.rows.n || x < 0 || x >= g.columns.n) continue;
            for (index_t c = 0; c < g.channels; ++c)
              for (index_t o = 0; o < g.filters; ++o)
                f(((n * g.rows.n + y) * g.columns.n + x) * g.channels + c,
                  ((k * g.columns.size + l) * g.channels + c) * g.filters + o, out + o);
          }
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

// What devices take, run on the host, with patches of all images, of two and of one in memory at once.
template <class T>
void check_bodies_of_devices(convolution const& g, std::vector<T> const& x, std::vector<T> const& k,
                             std::vector<T> const& ct, std::vector<double> const& y, std::vector<double> const& dx,
                             std::vector<double> const& dk, double tolerance) {
  using device = device_on_host<1>;
  std::vector<T> out(y.size(), T(7)), d_in(dx.size(), T(7)), d_by(dk.size(), T(7));
  kernels::convolve<device, T>(device(), new_scratch<host_space>, g, x.data(), k.data(), out.data());
  kernels::convolve_images_vjp<device, T>(device(), new_scratch<host_space>, g, ct.data(), k.data(), d_in.data());
  kernels::convolve_kernel_vjp<device, T>(device(), new_scratch<host_space>, g, x.data(), ct.data(), d_by.data());
  check_close(out, y, tolerance);
  check_close(d_in, dx, tolerance);
  check_close(d_by, dk, tolerance);
  index_t const elements = g.positions() * g.patch();
  if (g.is_product() || elements * g.filters == 0) return;
  for (index_t const at_once : {2 * elements, elements, index_t{1}}) {
    ashlar::kernels_detail::convolution_by_device_blas<device, T> const blas{device(), new_scratch<host_space>, g,
                                                                             at_once};
    std::fill(out.begin(), out.end(), T(7));
    std::fill(d_in.begin(), d_in.end(), T(7));
    std::fill(d_by.begin(), d_by.end(), T(7));
    blas.result(x.data(), k.data(), out.data());
    blas.images(ct.data(), k.data(), d_in.data());
    blas.kernel(x.data(), ct.data(), d_by.data());
    check_close(out, y, tolerance);
    check_close(d_in, dx, tolerance);
    check_close(d_by, dk, tolerance);
  }
}

template <class T>
void check_convolution(convolution const& g, double tolerance) {
  CAPTURE(g.images);
  CAPTURE(g.rows.n);
  CAPTURE(g.rows.size);
  CAPTURE(g.rows.stride);
  CAPTURE(g.rows.dilation);
  CAPTURE(g.rows.count());
  index_t const images = g.images * g.image_size(), kernel = g.patch() * g.filters,
                result = g.images * g.positions() * g.filters;
  auto const x = numbers<T>(images, 1), k = numbers<T>(kernel, 2), ct = numbers<T>(result, 3);
  std::vector<double> y(ct.size()), dx(x.size()), dk(k.size());
  for_each_product(g, [&](index_t a, index_t b, index_t c) {
    auto const i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b), o = static_cast<std::size_t>(c);
    y[o] += static_cast<double>(x[i]) * static_cast<double>(k[j]);
    dx[i] += static_cast<double>(ct[o]) * static_cast<double>(k[j]);
    dk[j] += static_cast<double>(x[i]) * static_cast<double>(ct[o]);
  });
  auto const in = to_device(x), by = to_device(k), cotangent = to_device(ct);
  device_array<T> const out("test", ct.size()), d_in("test", x.size()), d_by("test", k.size());
  Kokkos::deep_copy(out, T(7));  // what stands there does not matter
  Kokkos::deep_copy(d_in, T(7));
  Kokkos::deep_copy(d_by, T(7));
  kernels::convolve<space, T>(space(), new_scratch<>, g, in.data(), by.data(), out.data());
  kernels::convolve_images_vjp<space, T>(space(), new_scratch<>, g, cotangent.data(), by.data(), d_in.data());
  kernels::convolve_kernel_vjp<space, T>(space(), new_scratch<>, g, in.data(), cotangent.data(), d_by.data());
  check_close(to_host(out), y, tolerance);
  check_close(to_host(d_in), dx, tolerance);
  check_close(to_host(d_by), dk, tolerance);
  // What the host takes where oneDNN is not there, or has no good way.
  if constexpr (ashlar::kernels_detail::runs_in_caller<space>) {
    if (!g.is_product() && g.patch() * result != 0) {
      Kokkos::deep_copy(out, T(7));
      Kokkos::deep_copy(d_in, T(7));
      Kokkos::deep_copy(d_by, T(7));
      ashlar::kernels_detail::convolution_by_blas<space, T> const blas{space(), new_scratch<>, g};
      blas.result(in.data(), by.data(), out.data());
      blas.images(cotangent.data(), by.data(), d_in.data());
      blas.kernel(in.data(), cotangent.data(), d_by.data());
      check_close(to_host(out), y, tolerance);
      check_close(to_host(d_in), dx, tolerance);
      check_close(to_host(d_by), dk, tolerance);
    }
  }
  check_bodies_of_devices(g, x, k, ct, y, dx, dk, tolerance);
}

}  // namespace

TEST_CASE("convolution: edges, strides and dilations") {
  for (padding edge : {padding::valid, padding::same})
    for (index_t n : {1, 4, 7, 10})
      for (index_t size : {1, 2, 3, 6})
        for (index_t stride : {1, 2, 3})
          for (index_t dilation : {1, 2}) {
            layout_detail::windows const rows{n, size, stride, dilation, edge},
                columns{n + 1, std::max<index_t>(size - 1, 1), stride, dilation, edge};
            if (rows.count() == 0 || columns.count() == 0) continue;
            check_convolution<double>({2, rows, columns, 3, 2}, 1e-13);
            check_convolution<float>({3, rows, columns, 2, 8}, 2e-5);
          }
}

TEST_CASE("convolution: few and many images, channels and filters" * doctest::test_suite("nightly")) {
  auto const square = [](index_t n, index_t size, index_t stride) {
    return layout_detail::windows{n, size, stride, 1, padding::same};
  };
  for (index_t images : {0, 1, 5}) check_convolution<double>({images, square(6, 3, 1), square(5, 3, 1), 2, 4}, 1e-13);
  check_convolution<float>({64, square(28, 3, 1), square(28, 3, 1), 1, 12}, 2e-5);
  check_convolution<float>({3, square(28, 6, 2), square(28, 6, 2), 12, 24}, 2e-5);
  // An image has more windows than are held at once; the kernel's cotangent is summed in slices.
  check_convolution<double>({2, square(41, 5, 1), square(37, 5, 1), 24, 8}, 1e-12);
  check_convolution<double>({9, square(14, 1, 1), square(13, 1, 1), 7, 5}, 1e-12);
  check_convolution<double>({2, square(5, 3, 1), square(5, 3, 1), 0, 2}, 0);
  check_convolution<double>({2, square(5, 3, 1), square(5, 3, 1), 2, 0}, 0);
}

#ifdef KOKKOS_ENABLE_OPENMP
TEST_CASE("convolution: the kernel's cotangent has the same bits for every number of threads") {
  layout_detail::windows const w{14, 6, 2, 1, padding::same};
  convolution const g{20, w, w, 12, 16};
  auto const x = numbers<float>(g.images * g.image_size(), 1),
             ct = numbers<float>(g.images * g.positions() * g.filters, 3);
  std::vector<float> together(static_cast<std::size_t>(g.patch() * g.filters)), alone = together;
  kernels::convolve_kernel_vjp<Kokkos::OpenMP, float>(Kokkos::OpenMP(), new_scratch<Kokkos::OpenMP>, g, x.data(),
                                                      ct.data(), together.data());
  kernels::convolve_kernel_vjp<Kokkos::OpenMP, float>(Kokkos::OpenMP(1), new_scratch<Kokkos::OpenMP>, g, x.data(),
                                                      ct.data(), alone.data());
  CHECK(together == alone);
}
#endif

#if defined(ASHLAR_ONEDNN) && defined(KOKKOS_ENABLE_OPENMP)
TEST_CASE("convolution: what oneDNN has is made once") {
  using namespace ashlar::kernels_detail;
  layout_detail::windows const w{14, 6, 2, 1, padding::same};
  convolution const g{20, w, w, 12, 16};
  for (auto pass : {convolution_pass::result, convolution_pass::images, convolution_pass::kernel}) {
    auto const way = find_onednn_convolution(pass, g).convolution;
    CHECK(way == find_onednn_convolution(pass, g).convolution);
    if (!way)
      MESSAGE("oneDNN has no way of its own for pass ", static_cast<int>(pass),
              " on this processor: only products by BLAS are tested");
  }
}
#endif
