// Matrix products of row-major matrices: one name for CBLAS, cuBLAS and hipBLAS.
//
// Threads: BLAS has threads of its own, and Kokkos' threads wait while it works. Both want the same cores. So give
// OPENBLAS_NUM_THREADS the value of OMP_NUM_THREADS and let waiting threads sleep (OMP_WAIT_POLICY=passive). Kokkos'
// threads share the small products of a batch instead; OpenBLAS computes each of these without threads of its own.
#pragma once
#include "ashlar/kernels/blas_device.hpp"
#include "ashlar/kernels/cblas.hpp"
#include "ashlar/kernels/matrix.hpp"
#include "ashlar/kernels/rows.hpp"
#include <algorithm>
#include <complex>

// Functions of OpenBLAS; null if another library is linked.
extern "C" {
[[gnu::weak]] int openblas_get_num_threads(void);
[[gnu::weak]] void openblas_set_num_threads(int);
}

namespace ashlar::kernels_detail {

/// While it lives, OpenBLAS starts no threads: Kokkos' threads that call it concurrently are enough. (Other libraries
/// start none for products within a parallel region, or need their own variables for that.)
class one_thread_of_blas {
 public:
  one_thread_of_blas() : before_(openblas_get_num_threads ? openblas_get_num_threads() : 1) {
    if (before_ > 1) openblas_set_num_threads(1);
  }
  one_thread_of_blas(one_thread_of_blas const&) = delete;
  one_thread_of_blas& operator=(one_thread_of_blas const&) = delete;
  ~one_thread_of_blas() {
    if (before_ > 1) openblas_set_num_threads(before_);
  }

 private:
  int before_;
};

using kernels::matrix;

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
inline float cblas_factor(float const& x) { return x; }
inline double cblas_factor(double const& x) { return x; }
template <class R>
void const* cblas_factor(std::complex<R> const& x) {
  return &x;
}
template <class R>
void const* cblas_factor(Kokkos::complex<R> const& x) {
  return &x;
}

/// True if b is the transpose of a, in the same memory. Half of the product then gives the other half.
template <class T>
bool is_transpose(index_t m, index_t n, matrix<T> const& a, matrix<T> const& b) {
  return a.data == b.data && a.leading == b.leading && a.transposed != b.transposed && m == n;
}

/// Complex types, whose product with the conjugate BLAS computes by half.
template <class T>
concept has_herk = requires { cblas<T>::herk; };

struct host_blas {
  static constexpr index_t least_for_half = 1 << 15;  // GEMM is faster below

  // Pre: all numbers fit int; m, n > 0.
  template <class T>
  void gemm(index_t m, index_t n, index_t k, T alpha, matrix<T> a, matrix<T> b, T beta, T* c, index_t ldc) const {
    auto const op = [](bool t) { return t ? CblasTrans : CblasNoTrans; };
    auto const i = [](index_t x) { return static_cast<int>(x); };
    auto const x = cblas_factor(alpha), y = cblas_factor(beta);
    if (k > 0 && n == 1)  // GEMV does nothing for k = 0
      cblas<T>::gemv(CblasRowMajor, op(a.transposed), i(a.transposed ? k : m), i(a.transposed ? m : k), x, a.data,
                     i(a.leading), b.data, b.transposed ? 1 : i(b.leading), y, c, i(ldc));
    else if (k > 0 && m == 1)
      cblas<T>::gemv(CblasRowMajor, op(!b.transposed), i(b.transposed ? n : k), i(b.transposed ? k : n), x, b.data,
                     i(b.leading), a.data, a.transposed ? i(a.leading) : 1, y, c, 1);
    else if (beta == T(0) && is_transpose(m, n, a, b) && m * n * k > least_for_half)
      square(m, k, alpha, a, c, ldc);
    else
      cblas<T>::gemm(CblasRowMajor, op(a.transposed), op(b.transposed), i(m), i(n), i(k), x, a.data, i(a.leading),
                     b.data, i(b.leading), y, c, i(ldc));
  }

  // c = a conj(a)^T, or conj(a) a^T if `first`. Mirrors the triangle that BLAS computes.
  // Pre: all numbers fit int; n, k > 0.
  template <class T>
  static void hermitian_square(index_t n, index_t k, matrix<T> a, bool first, T* c, index_t ldc) {
    using R = typename T::value_type;
    cblas<T>::herk(CblasRowMajor, CblasLower, a.transposed ? CblasConjTrans : CblasNoTrans, static_cast<int>(n),
                   static_cast<int>(k), R(1), a.data, static_cast<int>(a.leading), R(0), c, static_cast<int>(ldc));
    // For a transposed a, BLAS conjugates the first factor. The other order gives the transpose.
    bool const is_transpose = first != a.transposed;
    for (index_t i = 1; i < n; ++i)
      for (index_t j = 0; j < i; ++j) {
        T& lower = c[i * ldc + j];
        T const conjugate(lower.real(), -lower.imag());
        c[j * ldc + i] = is_transpose ? lower : conjugate;
        if (is_transpose) lower = conjugate;
      }
  }

 private:
  // c = alpha a a^T. Mirrors the triangle that BLAS computes.
  template <class T>
  static void square(index_t n, index_t k, T alpha, matrix<T> a, T* c, index_t ldc) {
    T const zero(0);
    cblas<T>::syrk(CblasRowMajor, CblasLower, a.transposed ? CblasTrans : CblasNoTrans, static_cast<int>(n),
                   static_cast<int>(k), cblas_factor(alpha), a.data, static_cast<int>(a.leading), cblas_factor(zero), c,
                   static_cast<int>(ldc));
    for (index_t i = 1; i < n; ++i)
      for (index_t j = 0; j < i; ++j) c[j * ldc + i] = c[i * ldc + j];
  }
};

template <class Space>
auto blas_of([[maybe_unused]] Space const& space) {
  if constexpr (runs_in_caller<Space>) {
    return host_blas{};
  } else {
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
    return device_blas<Space>{space};
#else
    static_assert(
        runs_in_caller<Space>,
        "ashlar::kernels::gemm: no BLAS serves this execution space; use Serial, OpenMP, Threads, Cuda or HIP");
#endif
  }
}

// Splits a product into halves until its numbers fit int. Pre: m, n > 0.
template <index_t Limit, class Blas, class T>
void split_gemm(Blas const& blas, index_t m, index_t n, index_t k, T alpha, matrix<T> a, matrix<T> b, T beta, T* c,
                index_t ldc) {
  // A matrix of one row, or without elements, may have any leading dimension: takes the least that BLAS accepts.
  auto const take_least = [](matrix<T>& x, index_t rows, index_t columns) {
    if (rows <= 1 || columns == 0) x.leading = std::max<index_t>(1, columns);
  };
  take_least(a, a.transposed ? k : m, a.transposed ? m : k);
  take_least(b, b.transposed ? n : k, b.transposed ? k : n);
  if (m == 1) ldc = n;
  if (std::max({m, n, k, a.leading, b.leading, ldc}) <= Limit) return blas.gemm(m, n, k, alpha, a, b, beta, c, ldc);
  auto const part = [&](index_t i, index_t mi, index_t j, index_t nj, index_t l, index_t kl, T by) {
    matrix<T> const ail{a.data + (a.transposed ? l * a.leading + i : i * a.leading + l), a.leading, a.transposed};
    matrix<T> const blj{b.data + (b.transposed ? j * b.leading + l : l * b.leading + j), b.leading, b.transposed};
    split_gemm<Limit>(blas, mi, nj, kl, alpha, ail, blj, by, c + i * ldc + j, ldc);
  };
  if (m > Limit || (m > 1 && (ldc > Limit || (!a.transposed && a.leading > Limit)))) {
    part(0, m / 2, 0, n, 0, k, beta);
    part(m / 2, m - m / 2, 0, n, 0, k, beta);
  } else if (n > Limit || (n > 1 && b.transposed && b.leading > Limit)) {
    part(0, m, 0, n / 2, 0, k, beta);
    part(0, m, n / 2, n - n / 2, 0, k, beta);
  } else {
    part(0, m, 0, n, 0, k / 2, beta);
    part(0, m, 0, n, k / 2, k - k / 2, T(1));
  }
}

// Computes one product of a batch in one of Kokkos' host threads.
template <class T>
struct gemm_batch_kernel {
  index_t m, n, k;
  T alpha, beta;
  matrix<T> a, b;
  T* c;
  index_t ldc, step_a, step_b, step_c;

  template <class Blas>
  void run(Blas const& blas, index_t i) const {
    split_gemm<INT_MAX>(blas, m, n, k, alpha, matrix<T>{a.data + i * step_a, a.leading, a.transposed},
                        matrix<T>{b.data + i * step_b, b.leading, b.transposed}, beta, c + i * step_c, ldc);
  }
  void operator()(index_t i) const { run(host_blas{}, i); }
};

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

/// Element types that BLAS multiplies: float, double and their complex types, std's or Kokkos'.
template <class T>
concept BlasScalar = requires { kernels_detail::cblas<T>::gemm; };

/// c = alpha a b + beta c for a [m][k], b [k][n] and c [m][n], on the instance's stream.
/// Pre: c overlaps neither a nor b. Extents and leading dimensions may exceed int. With beta = 0, c is not read.
/// Example: gemm(space, m, n, k, 1, matrix<float>{a, k}, matrix<float>{b, n}, 0, c, n);
template <index_t Limit = INT_MAX, class Space, BlasScalar T>
void gemm(Space const& space, index_t m, index_t n, index_t k, std::type_identity_t<T> alpha, matrix<T> a, matrix<T> b,
          std::type_identity_t<T> beta, T* c, index_t ldc) {
  if (m <= 0 || n <= 0) return;
  kernels_detail::kernel_region const here("ashlar::gemm");
  kernels_detail::split_gemm<Limit>(kernels_detail::blas_of(space), m, n, k, alpha, a, b, beta, c, ldc);
}

/// The same for `count` products. Their operands and results are step_a, step_b and step_c elements apart.
/// Pre: as above; results do not overlap each other.
template <class Space, BlasScalar T>
void gemm_batch(Space const& space, index_t count, index_t m, index_t n, index_t k, std::type_identity_t<T> alpha,
                matrix<T> a, index_t step_a, matrix<T> b, index_t step_b, std::type_identity_t<T> beta, T* c,
                index_t ldc, index_t step_c) {
  if (count == 1) return gemm(space, m, n, k, alpha, a, b, beta, c, ldc);
  if (count <= 0 || m <= 0 || n <= 0) return;
  kernels_detail::gemm_batch_kernel<T> const product{m, n, k, alpha, beta, a, b, c, ldc, step_a, step_b, step_c};
  if constexpr (kernels_detail::runs_in_caller<Space>) {
    // OpenBLAS starts no threads below these sizes.
    bool const serial = m * n * k <= (m == 1 || n == 1 ? 9000 : 1 << 18);
    if (serial && space.concurrency() > 1)
      return kernels_detail::for_each_index("ashlar::gemm_batch", space, count, m * n * k, product);
    kernels_detail::kernel_region const here("ashlar::gemm_batch");
    for (index_t i = 0; i < count; ++i) product(i);
  } else if (kernels_detail::kernel_region const here("ashlar::gemm_batch");
             !kernels_detail::blas_of(space).gemm_batch(product, count)) {
    for (index_t i = 0; i < count; ++i) product.run(kernels_detail::blas_of(space), i);
  }
}

}  // namespace ashlar::kernels
