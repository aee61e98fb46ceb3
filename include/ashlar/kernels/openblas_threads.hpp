// SPDX-License-Identifier: BSL-1.0
// The threads of OpenBLAS, whether or not a program links it.
#pragma once

// Functions of OpenBLAS; null if another library is linked.
#ifdef __ELF__
extern "C" {
[[gnu::weak]] int openblas_get_num_threads(void);
[[gnu::weak]] int openblas_get_parallel(void);  // 0: no threads; 1: threads of its own; 2: OpenMP
[[gnu::weak]] void openblas_set_num_threads(int);
}
#endif

namespace ashlar::kernels_detail {

#ifndef __ELF__  // a weak function needs a library that defines it
inline int (*const openblas_get_num_threads)() = nullptr;
inline int (*const openblas_get_parallel)() = nullptr;
inline void (*const openblas_set_num_threads)(int) = nullptr;
#endif

/// While it lives, OpenBLAS starts no threads: Kokkos' threads that call it concurrently are enough. (Other libraries
/// start none for products within a parallel region, or need their own variables for that.) Nothing happens unless `applies`.
class one_thread_of_blas {
 public:
  explicit one_thread_of_blas(bool applies = true)
      : before_(applies && openblas_get_num_threads != nullptr ? openblas_get_num_threads() : 1) {
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

/// True if Kokkos' threads are to divide products: OpenBLAS has POSIX threads of its own. Then it takes calls of several
/// threads at a time. A build without threads need not.
inline bool kokkos_divides_products() { return openblas_get_parallel != nullptr && openblas_get_parallel() == 1; }

}  // namespace ashlar::kernels_detail
