// SPDX-License-Identifier: BSL-1.0
// cuBLAS and hipBLAS for blas.hpp, in CUDA and HIP builds.
#pragma once
#include "ashlar/kernels/device_stream.hpp"
#include "ashlar/kernels/products/matrix.hpp"

namespace ashlar::kernels_detail {

/// The BLAS of a device. Not defined for spaces that have none.
template <class Space>
struct device_blas;

}  // namespace ashlar::kernels_detail

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
#if defined(KOKKOS_ENABLE_CUDA)
#include <cublas_v2.h>
#define ASHLAR_BLAS(name) cublas##name
#define ASHLAR_BLAS_VALUE(name) CUBLAS_##name
#else
#include <hipblas/hipblas.h>
#define ASHLAR_BLAS(name) hipblas##name
#define ASHLAR_BLAS_VALUE(name) HIPBLAS_##name
#endif
#include <algorithm>
#include <climits>
#include <complex>
#include <map>

namespace ashlar::kernels_detail {

template <class T>
struct device_routines;
template <>
struct device_routines<float> {
  static constexpr auto gemm = ASHLAR_BLAS(Sgemm);
  static constexpr auto batch = ASHLAR_BLAS(SgemmStridedBatched);
};
template <>
struct device_routines<double> {
  static constexpr auto gemm = ASHLAR_BLAS(Dgemm);
  static constexpr auto batch = ASHLAR_BLAS(DgemmStridedBatched);
};
template <>
struct device_routines<std::complex<float>> {
  static constexpr auto gemm = ASHLAR_BLAS(Cgemm);
  static constexpr auto batch = ASHLAR_BLAS(CgemmStridedBatched);
};
template <>
struct device_routines<std::complex<double>> {
  static constexpr auto gemm = ASHLAR_BLAS(Zgemm);
  static constexpr auto batch = ASHLAR_BLAS(ZgemmStridedBatched);
};
template <class R>
struct device_routines<Kokkos::complex<R>> : device_routines<std::complex<R>> {};

// Converts pointers: the libraries have complex types of their own, with the same representation.
struct any_pointer {
  void const* address;
  template <class U>
  operator U const*() const {
    return static_cast<U const*>(address);
  }
  template <class U>
  operator U*() const {
    return static_cast<U*>(const_cast<void*>(address));
  }
};

inline void device_blas_check(ASHLAR_BLAS(Status_t) s) {
  if (s != ASHLAR_BLAS_VALUE(STATUS_SUCCESS))
    Kokkos::abort("ashlar::kernels::gemm: the device's BLAS reports a failure");
}

// The device's handle, set to the instance's stream. Handles live until Kokkos ends. Only one host thread at a time.
template <class Space>
ASHLAR_BLAS(Handle_t)
device_blas_handle(Space const& space) {
  static std::map<int, ASHLAR_BLAS(Handle_t)> handles;
  if (handles.empty())
    Kokkos::push_finalize_hook([] {
      for (auto& [d, h] : handles) ASHLAR_BLAS(Destroy)(h);
      handles.clear();
    });
  auto [at, added] = handles.try_emplace(device_of(space));
  if (added) device_blas_check(ASHLAR_BLAS(Create)(&at->second));
  device_blas_check(ASHLAR_BLAS(SetStream)(at->second, stream_of(space)));
  return at->second;
}

inline auto device_blas_op(bool transposed) { return transposed ? ASHLAR_BLAS_VALUE(OP_T) : ASHLAR_BLAS_VALUE(OP_N); }

// The libraries' matrices are column-major: a row-major c = a b is c' = b' a' there.
template <class Space>
struct device_blas {
  Space const& space;

  // Pre: all numbers fit int; m, n > 0.
  template <class T>
  void gemm(index_t m, index_t n, index_t k, T alpha, kernels::matrix<T> a, kernels::matrix<T> b, T beta, T* c,
            index_t ldc) const {
    auto const i = [](index_t x) { return static_cast<int>(x); };
    device_blas_check(device_routines<T>::gemm(device_blas_handle(space), device_blas_op(b.transposed),
                                               device_blas_op(a.transposed), i(n), i(m), i(k), any_pointer{&alpha},
                                               any_pointer{b.data}, i(b.leading), any_pointer{a.data}, i(a.leading),
                                               any_pointer{&beta}, any_pointer{c}, i(ldc)));
  }

  // Computes all products of a batch in one call. False if its numbers do not fit int.
  template <class Product>
  bool gemm_batch(Product const& p, index_t count) const {
    auto const i = [](index_t x) { return static_cast<int>(x); };
    using routines = device_routines<std::remove_cvref_t<decltype(p.alpha)>>;
    if ((std::max)({count, p.m, p.n, p.k, p.a.leading, p.b.leading, p.ldc}) > INT_MAX) return false;
    device_blas_check(routines::batch(
        device_blas_handle(space), device_blas_op(p.b.transposed), device_blas_op(p.a.transposed), i(p.n), i(p.m),
        i(p.k), any_pointer{&p.alpha}, any_pointer{p.b.data}, i(p.b.leading), p.step_b, any_pointer{p.a.data},
        i(p.a.leading), p.step_a, any_pointer{&p.beta}, any_pointer{p.c}, i(p.ldc), p.step_c, i(count)));
    return true;
  }
};

}  // namespace ashlar::kernels_detail
#undef ASHLAR_BLAS
#undef ASHLAR_BLAS_VALUE
#endif
