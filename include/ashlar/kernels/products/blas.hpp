// SPDX-License-Identifier: BSL-1.0
// Matrix products of row-major matrices: one name for CBLAS, cuBLAS and hipBLAS.
#pragma once
#include "ashlar/kernels/products/blas_device.hpp"
#include "ashlar/kernels/products/blas_host.hpp"
#include "ashlar/kernels/rows.hpp"
#include <climits>

namespace ashlar::kernels_detail {

template <class Space>
auto blas_of([[maybe_unused]] Space const& space) {
  if constexpr (runs_in_caller<Space>) {
    return threaded_blas<Space>{space};
  } else {
    static_assert(
        requires { sizeof(device_blas<Space>); },
        "ashlar::kernels::gemm: no BLAS serves this execution space; use Serial, OpenMP, Threads, Cuda or HIP");
    return device_blas<Space>{space};
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
  if ((std::max)({m, n, k, a.leading, b.leading, ldc}) <= Limit) return blas.gemm(m, n, k, alpha, a, b, beta, c, ldc);
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

/// kernels::gemm in the calling thread, for kernels that run in several.
template <class T>
void gemm_in_thread(index_t m, index_t n, index_t k, T alpha, matrix<T> a, matrix<T> b, T beta, T* c, index_t ldc) {
  if (m > 0 && n > 0) split_gemm<INT_MAX>(host_blas{}, m, n, k, alpha, a, b, beta, c, ldc);
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
/// Pre: c overlaps neither a nor b. Extents and leading dimensions may exceed int. With beta = 0, c is not read. It is no
/// call within a kernel: the threads of the space may divide the product.
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
    index_t const threads = space.concurrency();
    if (threads > 1 && (serial || (count >= threads && kernels_detail::kokkos_divides_products()))) {
      kernels_detail::one_thread_of_blas const of_each(!serial);
      return kernels_detail::for_each_index("ashlar::gemm_batch", space, count, m * n * k, product);
    }
    kernels_detail::kernel_region const here("ashlar::gemm_batch");
    for (index_t i = 0; i < count; ++i) product.run(kernels_detail::blas_of(space), i);
  } else if (kernels_detail::kernel_region const here("ashlar::gemm_batch");
             !kernels_detail::blas_of(space).gemm_batch(product, count)) {
    for (index_t i = 0; i < count; ++i) product.run(kernels_detail::blas_of(space), i);
  }
}

}  // namespace ashlar::kernels
