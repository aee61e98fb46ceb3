// SPDX-License-Identifier: BSL-1.0
// Products of matrices in host memory, by CBLAS.
//
// If BLAS has threads of its own, Kokkos' threads still wait for work on the cores that BLAS wants. On 2 cores a step of
// training with 2 threads of each took 5 to 25 times as long as with one of BLAS. So Kokkos' threads divide a product,
// and BLAS computes each part without threads. A BLAS whose threads are OpenMP's divides products itself.
#pragma once
#include "ashlar/kernels/products/cblas.hpp"
#include "ashlar/kernels/products/matrix.hpp"
#include "ashlar/kernels/openblas_threads.hpp"
#include "ashlar/kernels/rows.hpp"
#include <algorithm>
#include <cmath>
#include <complex>

namespace ashlar::kernels_detail {

using kernels::matrix;

/// The functions of CBLAS for elements of type T.
template <class T>
struct cblas;
template <>
struct cblas<float> {
  static constexpr auto gemm = cblas_sgemm;
  static constexpr auto gemv = cblas_sgemv;
  static constexpr auto syrk = cblas_ssyrk;
};
template <>
struct cblas<double> {
  static constexpr auto gemm = cblas_dgemm;
  static constexpr auto gemv = cblas_dgemv;
  static constexpr auto syrk = cblas_dsyrk;
};
template <>
struct cblas<std::complex<float>> {
  static constexpr auto gemm = cblas_cgemm;
  static constexpr auto gemv = cblas_cgemv;
  static constexpr auto syrk = cblas_csyrk;
  static constexpr auto herk = cblas_cherk;
};
template <>
struct cblas<std::complex<double>> {
  static constexpr auto gemm = cblas_zgemm;
  static constexpr auto gemv = cblas_zgemv;
  static constexpr auto syrk = cblas_zsyrk;
  static constexpr auto herk = cblas_zherk;
};
template <class R>
struct cblas<Kokkos::complex<R>> : cblas<std::complex<R>> {};

// CBLAS takes real factors by value, complex ones by address.
template <class T>
auto cblas_factor(T const& x) {
  if constexpr (std::is_floating_point_v<T>)
    return x;
  else
    return static_cast<void const*>(&x);
}

/// True if b is the transpose of a, in the same memory. Half of the product then gives the other half.
template <class T>
bool is_transpose(index_t m, index_t n, matrix<T> const& a, matrix<T> const& b) {
  return a.data == b.data && a.leading == b.leading && a.transposed != b.transposed && m == n;
}

/// Complex types, whose product with the conjugate BLAS computes by half.
template <class T>
concept has_herk = requires { cblas<T>::herk; };

/// The parts of an [m][n] product that threads compute: a grid of blocks.
struct product_parts {
  index_t rows = 1, columns = 1;
  index_t size() const { return rows * columns; }
};

/// Blocks for at most this number of threads. The largest one is as small as possible, and then as square. They have at
/// least 2^17 products of numbers in the mean, and borders at multiples of 16.
constexpr product_parts parts_of_product(index_t m, index_t n, index_t k, index_t threads) {
  double const useful = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) / (1 << 17);
  if (useful < static_cast<double>(threads)) threads = static_cast<index_t>(useful);
  auto const up = [](index_t x, index_t by) { return (x + by - 1) / by; };
  index_t const tall = up(m, 16), wide = up(n, 16);
  product_parts best;
  index_t largest = tall * wide, around = tall + wide;
  for (index_t rows = 1; rows <= (std::min)(threads, tall); ++rows) {
    index_t const columns = (std::min)(threads / rows, wide), height = up(tall, rows), width = up(wide, columns);
    if (height * width > largest || (height * width == largest && height + width >= around)) continue;
    best = {rows, columns};
    largest = height * width;
    around = height + width;
  }
  return best;
}

/// BLAS in the calling thread, and in threads of its own if it has some.
struct host_blas {
  static constexpr index_t least_for_half = 1 << 15;  // GEMM is faster below

  /// True if half of the product is computed.
  template <class T>
  static bool is_square(index_t m, index_t n, index_t k, matrix<T> const& a, matrix<T> const& b, T beta) {
    return m > 1 && beta == T(0) && is_transpose(m, n, a, b) && m * n * k > least_for_half;
  }

  // Pre: all numbers fit int; m, n > 0.
  template <class T>
  static void gemm(index_t m, index_t n, index_t k, T alpha, matrix<T> a, matrix<T> b, T beta, T* c, index_t ldc) {
    auto const op = [](bool t) { return t ? CblasTrans : CblasNoTrans; };
    auto const i = [](index_t x) { return static_cast<int>(x); };
    auto const x = cblas_factor(alpha), y = cblas_factor(beta);
    if (k > 0 && n == 1)  // GEMV does nothing for k = 0
      cblas<T>::gemv(CblasRowMajor, op(a.transposed), i(a.transposed ? k : m), i(a.transposed ? m : k), x, a.data,
                     i(a.leading), b.data, b.transposed ? 1 : i(b.leading), y, c, i(ldc));
    else if (k > 0 && m == 1)
      cblas<T>::gemv(CblasRowMajor, op(!b.transposed), i(b.transposed ? n : k), i(b.transposed ? k : n), x, b.data,
                     i(b.leading), a.data, a.transposed ? i(a.leading) : 1, y, c, 1);
    else if (is_square(m, n, k, a, b, beta))
      square(m, k, alpha, a, c, ldc);
    else
      cblas<T>::gemm(CblasRowMajor, op(a.transposed), op(b.transposed), i(m), i(n), i(k), x, a.data, i(a.leading),
                     b.data, i(b.leading), y, c, i(ldc));
  }

  /// Rows [first, last) of the lower triangle of c = alpha a a^T, up to the diagonal. With `Conjugate`, of
  /// alpha a conj(a)^T, or of its transpose if a is transposed; then alpha is real.
  template <bool Conjugate, class T>
  static void square_rows(index_t first, index_t last, index_t k, T alpha, matrix<T> a, T* c, index_t ldc) {
    constexpr auto transposed = Conjugate ? CblasConjTrans : CblasTrans;
    auto const as_is = a.transposed ? transposed : CblasNoTrans, other = a.transposed ? CblasNoTrans : transposed;
    auto const i = [](index_t x) { return static_cast<int>(x); };
    T const zero(0);
    T const* const rows = a.data + first * (a.transposed ? 1 : a.leading);
    c += first * ldc;
    if (first > 0)
      cblas<T>::gemm(CblasRowMajor, as_is, other, i(last - first), i(first), i(k), cblas_factor(alpha), rows,
                     i(a.leading), a.data, i(a.leading), cblas_factor(zero), c, i(ldc));
    if constexpr (Conjugate)
      cblas<T>::herk(CblasRowMajor, CblasLower, as_is, i(last - first), i(k), alpha.real(), rows, i(a.leading),
                     zero.real(), c + first, i(ldc));
    else
      cblas<T>::syrk(CblasRowMajor, CblasLower, as_is, i(last - first), i(k), cblas_factor(alpha), rows, i(a.leading),
                     cblas_factor(zero), c + first, i(ldc));
  }

 private:
  // c = alpha a a^T. Mirrors the triangle that BLAS computes.
  template <class T>
  static void square(index_t n, index_t k, T alpha, matrix<T> a, T* c, index_t ldc) {
    square_rows<false>(0, n, k, alpha, a, c, ldc);
    for (index_t i = 1; i < n; ++i)
      for (index_t j = 0; j < i; ++j) c[j * ldc + i] = c[i * ldc + j];
  }
};

/// BLAS in the threads of an execution space.
template <class Space>
struct threaded_blas {
  Space space;
  index_t threads = kokkos_divides_products() ? space.concurrency() : 1;  // a part for each

  // Pre: all numbers fit int; m, n > 0.
  template <class T>
  void gemm(index_t m, index_t n, index_t k, T alpha, matrix<T> a, matrix<T> b, T beta, T* c, index_t ldc) const {
    one_thread_of_blas const of_each(threads > 1);
    product_parts const parts = parts_of_product(m, n, k, threads);
    if (parts.size() == 1) return host_blas::gemm(m, n, k, alpha, a, b, beta, c, ldc);
    if (host_blas::is_square(m, n, k, a, b, beta))
      return half_product(
          m, k, [&](index_t i, index_t end) { host_blas::square_rows<false>(i, end, k, alpha, a, c, ldc); },
          [&](index_t i, index_t j) { c[j * ldc + i] = c[i * ldc + j]; });
    auto const begin = [](index_t extent, index_t part, index_t of) {
      return (std::min)(extent, (extent + 15) / 16 * part / of * 16);
    };
    for_each_part(parts.size(), [&](index_t part) {
      index_t const r = part / parts.columns, s = part % parts.columns;
      index_t const i = begin(m, r, parts.rows), j = begin(n, s, parts.columns);
      matrix<T> const rows{a.data + i * (a.transposed ? 1 : a.leading), a.leading, a.transposed};
      matrix<T> const columns{b.data + j * (b.transposed ? b.leading : 1), b.leading, b.transposed};
      host_blas::gemm(begin(m, r + 1, parts.rows) - i, begin(n, s + 1, parts.columns) - j, k, alpha, rows, columns,
                      beta, c + i * ldc + j, ldc);
    });
  }

  // c = a conj(a)^T, or conj(a) a^T if `first`. Mirrors the triangle that BLAS computes.
  // Pre: all numbers fit int; n, k > 0.
  template <class T>
  void hermitian_square(index_t n, index_t k, matrix<T> a, bool first, T* c, index_t ldc) const {
    // For a transposed a, BLAS conjugates the first factor. The other order gives the transpose.
    bool const is_transpose = first != a.transposed;
    one_thread_of_blas const of_each(threads > 1);
    half_product(
        n, k, [&](index_t i, index_t end) { host_blas::square_rows<true>(i, end, k, T(1), a, c, ldc); },
        [&](index_t i, index_t j) {
          T& lower = c[i * ldc + j];
          T const conjugate(lower.real(), -lower.imag());
          c[j * ldc + i] = is_transpose ? lower : conjugate;
          if (is_transpose) lower = conjugate;
        });
  }

 private:
  template <class F>
  void for_each_part(index_t parts, F const& f) const {
    for_each_index("ashlar::gemm", space, parts, elements_per_thread, f);
  }

  // Calls rows(begin, end) for parts of the lower triangle with about as many elements each. Then it calls mirror(i, j)
  // for each element below the diagonal.
  template <class Rows, class Mirror>
  void half_product(index_t n, index_t k, Rows const& rows, Mirror const& mirror) const {
    index_t const parts = threads > 1 ? parts_of_product(n, 1, n * k / 2, threads).rows : 1;
    auto const begin = [&](index_t part) {
      return part == parts ? n : static_cast<index_t>(static_cast<double>(n) * std::sqrt(double(part) / double(parts)));
    };
    auto const mirror_row = [&](index_t i) {
      for (index_t j = 0; j < i; ++j) mirror(i, j);
    };
    if (parts == 1) {
      rows(0, n);
      for (index_t i = 1; i < n; ++i) mirror_row(i);
      return;
    }
    for_each_part(parts, [&](index_t part) {
      if (begin(part) < begin(part + 1)) rows(begin(part), begin(part + 1));
    });
    for_each_part(parts, [&](index_t part) {
      for (index_t i = begin(part); i < begin(part + 1); ++i) mirror_row(i);
    });
  }
};

}  // namespace ashlar::kernels_detail
