// labels: threads
// Matrix products by flags and leading dimensions, and their division where numbers exceed BLAS' int.
#include "ashlar/kernels/products/blas.hpp"
#include "support/device_array.hpp"
#include <doctest/doctest.h>
#include <array>
#include <vector>

using namespace ashlar;
using namespace test;

namespace {

// Small integers, so that every sum is exact.
template <class T>
std::vector<T> integers(index_t n, unsigned step) {
  std::vector<T> v(static_cast<std::size_t>(n));
  unsigned x = step;
  for (T& e : v) e = static_cast<T>(static_cast<float>((x = x * 1103515245u + 12345u) >> 16 & 7) - 3);
  return v;
}

// An [r][c] operand in storage with `gap` unused elements a row, transposed or not.
template <class T>
struct operand {
  index_t leading;
  bool transposed;
  std::vector<T> host;
  device_array<T> device;

  operand(index_t r, index_t c, bool t, index_t gap, unsigned seed)
      : leading((t ? r : c) + gap),
        transposed(t),
        host(integers<T>(leading * (t ? c : r), seed)),
        device(to_device(host)) {}
  std::size_t index(index_t i, index_t j) const {
    return static_cast<std::size_t>(transposed ? j * leading + i : i * leading + j);
  }
  T operator()(index_t i, index_t j) const { return host[index(i, j)]; }
  kernels::matrix<T> matrix() const { return {device.data(), leading, transposed}; }
};

// multiply(m, n, k, alpha, a, b, beta, c, ldc) computes a product as loops do.
template <class T, class F>
void check_product(index_t m, index_t n, index_t k, bool ta, bool tb, index_t gap, T alpha, T beta, F const& multiply) {
  INFO("m ", m, " n ", n, " k ", k, " transposed ", ta, " ", tb, " gap ", gap);
  operand<T> const a(m, k, ta, gap, 1), b(k, n, tb, gap, 2), c(m, n, false, gap, 3);
  multiply(m, n, k, alpha, a.matrix(), b.matrix(), beta, c.device.data(), c.leading);
  auto expected = c.host;  // the gaps too: nobody writes there
  for (index_t i = 0; i < m; ++i)
    for (index_t j = 0; j < n; ++j) {
      T sum = T(0);
      for (index_t l = 0; l < k; ++l) sum += a(i, l) * b(l, j);
      expected[c.index(i, j)] = alpha * sum + beta * c(i, j);
    }
  CHECK(to_host(c.device) == expected);
}

template <index_t Limit, class T>
void check_products() {
  for (index_t m : {0, 1, 2, 7, 13})
    for (index_t n : {0, 1, 3, 11})
      for (index_t k : {0, 1, 5, 12})
        for (bool ta : {false, true})
          for (bool tb : {false, true})
            for (index_t gap : {0, 1, 4})
              check_product(m, n, k, ta, tb, gap, T(2), T(-1),
                            [](auto... arguments) { kernels::gemm<Limit>(space(), arguments...); });
}

}  // namespace

TEST_CASE_TEMPLATE("products by flags and leading dimensions", T, float, double, std::complex<float>,
                   std::complex<double>, Kokkos::complex<float>, Kokkos::complex<double>) {
  check_products<INT_MAX, T>();
}

TEST_CASE("products whose numbers exceed the limit are divided") {
  check_products<4, double>();
  check_products<1, double>();
}

// Not every BLAS looks; the reference ends the program.
TEST_CASE("rows are at least one element apart, and as many as they have, of operands without elements too") {
  struct strict_blas {
    void gemm(index_t m, index_t n, index_t k, double, kernels::matrix<double> a, kernels::matrix<double> b, double,
              double*, index_t ldc) const {
      CHECK(a.leading >= std::max<index_t>(1, a.transposed ? m : k));
      CHECK(b.leading >= std::max<index_t>(1, b.transposed ? k : n));
      CHECK(ldc >= std::max<index_t>(1, n));
    }
  };
  for (index_t m : {1, 2, 9})
    for (index_t n : {1, 3, 9})
      for (index_t k : {0, 1, 4, 9})
        for (bool ta : {false, true})
          for (bool tb : {false, true}) {
            kernels::matrix<double> const a{nullptr, ta ? m : k, ta}, b{nullptr, tb ? k : n, tb};
            kernels_detail::split_gemm<INT_MAX>(strict_blas{}, m, n, k, 1.0, a, b, 0.0, static_cast<double*>(nullptr),
                                                n);
          }
}

TEST_CASE("a batch is its products") {
  index_t const m = 3, n = 4, k = 5;
  for (index_t count : {0, 1, 2, 300}) {
    operand<float> const a(count * m, k, false, 0, 1), b(count * n, k, false, 0, 2), c(count * m, n, false, 0, 3);
    kernels::gemm_batch(space(), count, m, n, k, 1.f, a.matrix(), m * k,
                        kernels::matrix<float>{b.device.data(), k, true}, n * k, 1.f, c.device.data(), n, m * n);
    auto expected = c.host;
    for (index_t z = 0; z < count; ++z)
      for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j)
          for (index_t l = 0; l < k; ++l) expected[c.index(z * m + i, j)] += a(z * m + i, l) * b(z * n + j, l);
    CHECK(to_host(c.device) == expected);
  }
}

// Both sides of the size from which half of the product is computed and mirrored.
TEST_CASE_TEMPLATE("a matrix times its transpose, in the same memory", T, float, double, std::complex<float>,
                   Kokkos::complex<double>) {
  for (index_t n : {1, 2, 30, 61})
    for (index_t k : {1, 7, 40})
      for (bool transposed : {false, true})
        for (index_t gap : {0, 3})
          for (T beta : {T(0), T(1)}) {
            operand<T> const a(n, k, transposed, gap, 1), c(n, n, false, gap, 3);
            kernels::matrix<T> b = a.matrix();
            b.transposed = !transposed;
            kernels::gemm(space(), n, n, k, T(2), a.matrix(), b, beta, c.device.data(), c.leading);
            auto expected = c.host;
            for (index_t i = 0; i < n; ++i)
              for (index_t j = 0; j < n; ++j) {
                T sum = T(0);
                for (index_t l = 0; l < k; ++l) sum += a(i, l) * a(j, l);
                expected[c.index(i, j)] = T(2) * sum + beta * c(i, j);
              }
            CHECK(to_host(c.device) == expected);
          }
}

// The exact product with the conjugate, of operands stored in both orders.
TEST_CASE_TEMPLATE("a matrix times its conjugate transpose, by half", T, std::complex<float>, Kokkos::complex<double>) {
  if constexpr (kernels_detail::runs_in_caller<Kokkos::DefaultExecutionSpace>)
    for (index_t n : {1, 2, 30})
      for (index_t k : {1, 7, 40})
        for (bool transposed : {false, true})
          for (index_t gap : {0, 3})
            for (bool first : {false, true}) {
              operand<T> a(n, k, transposed, gap, 1);
              operand<T> const c(n, n, false, gap, 3);
              float imaginary = 0;
              for (T& x : a.host) x += T(0, imaginary = imaginary < 4 ? imaginary + 1 : -3);
              auto const device = to_device(a.host);
              kernels_detail::blas_of(space()).hermitian_square(
                  n, k, kernels::matrix<T>{device.data(), a.leading, transposed}, first, c.device.data(), c.leading);
              auto const bar = [](T x) { return T(x.real(), -x.imag()); };
              auto expected = c.host;
              for (index_t i = 0; i < n; ++i)
                for (index_t j = 0; j < n; ++j) {
                  T sum = T(0);
                  for (index_t l = 0; l < k; ++l) sum += first ? bar(a(i, l)) * a(j, l) : a(i, l) * bar(a(j, l));
                  expected[c.index(i, j)] = sum;
                }
              CHECK(to_host(c.device) == expected);
            }
}

TEST_CASE("products in parts: blocks that are not empty, for at most this number of threads") {
  using kernels_detail::parts_of_product;
  for (index_t m : {1, 15, 16, 17, 64, 700, 4096})
    for (index_t n : {1, 16, 33, 500, 3001})
      for (index_t k : {1, 20, 1000})
        for (index_t threads : {1, 2, 3, 6, 7, 16, 48}) {
          auto const parts = parts_of_product(m, n, k, threads);
          CHECK(parts.size() >= 1);
          CHECK(parts.size() <= threads);
          CHECK(parts.rows <= (m + 15) / 16);
          CHECK(parts.columns <= (n + 15) / 16);
          if (parts.size() > 1) CHECK(m * n * k >= parts.size() << 17);
        }
  auto const is = [](auto parts, index_t rows, index_t columns) {
    return parts.rows == rows && parts.columns == columns;
  };
  CHECK(is(parts_of_product(4096, 4096, 4096, 16), 4, 4));
  CHECK(is(parts_of_product(4096, 512, 4096, 8), 8, 1));
  CHECK(is(parts_of_product(1, 4096, 4096, 8), 1, 8));
  CHECK(is(parts_of_product(4096, 4096, 4096, 7), 1, 7));
  CHECK(is(parts_of_product(16, 16, 4096, 8), 1, 1));
}

namespace {

// Calls f(blas) with products for several numbers of threads. One thread computes the parts in turn.
template <class F>
void with_threads(F f) {
  if constexpr (kernels_detail::runs_in_caller<Kokkos::DefaultExecutionSpace>)
    for (index_t threads : {2, 3, 4, 7})
      f(kernels_detail::threaded_blas<Kokkos::DefaultExecutionSpace>{Kokkos::DefaultExecutionSpace(), threads});
}

}  // namespace

TEST_CASE_TEMPLATE("products in parts: the same as loops" * doctest::test_suite("nightly"), T, float, double,
                   std::complex<double>) {
  with_threads([](auto const& blas) {
    for (auto const& [m, n, k] :
         std::vector<std::array<index_t, 3>>{{70, 90, 210}, {1, 700, 900}, {800, 1, 700}, {33, 500, 40}})
      for (bool ta : {false, true})
        for (bool tb : {false, true})
          for (T beta : {T(0), T(-1)})
            check_product(m, n, k, ta, tb, 3, T(2), beta, [&](auto... arguments) { blas.gemm(arguments...); });
  });
}

TEST_CASE("products in parts: halves that are mirrored" * doctest::test_suite("nightly")) {
  using T = Kokkos::complex<double>;
  with_threads([](auto const& blas) {
    for (index_t n : {65, 130})
      for (bool transposed : {false, true})
        for (bool first : {false, true}) {
          index_t const k = 100;
          operand<T> a(n, k, transposed, 3, 1);
          operand<T> const c(n, n, false, 2, 3);
          double imaginary = 0;
          for (T& x : a.host) x += T(0, imaginary = imaginary < 4 ? imaginary + 1 : -3);
          auto const device = to_device(a.host);
          kernels::matrix<T> const left{device.data(), a.leading, transposed},
              right{device.data(), a.leading, !transposed};
          auto const bar = [](T x) { return T(x.real(), -x.imag()); };
          auto of_transpose = c.host, of_conjugate = c.host;
          for (index_t i = 0; i < n; ++i)
            for (index_t j = 0; j < n; ++j) {
              T sum = T(0), conjugated = T(0);
              for (index_t l = 0; l < k; ++l) {
                sum += a(i, l) * a(j, l);
                conjugated += first ? bar(a(i, l)) * a(j, l) : a(i, l) * bar(a(j, l));
              }
              of_transpose[c.index(i, j)] = sum;
              of_conjugate[c.index(i, j)] = conjugated;
            }
          blas.gemm(n, n, k, T(1), left, right, T(0), c.device.data(), c.leading);
          CHECK(to_host(c.device) == of_transpose);
          blas.hermitian_square(n, k, left, first, c.device.data(), c.leading);
          CHECK(to_host(c.device) == of_conjugate);
        }
  });
}
