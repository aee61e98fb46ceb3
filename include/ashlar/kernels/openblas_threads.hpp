// SPDX-License-Identifier: BSL-1.0
// The threads and the memory of OpenBLAS, whether or not a program links it.
#pragma once
#include <sys/mman.h>
#include <cstddef>
#include <vector>

// Functions of OpenBLAS; null if another library is linked.
#ifdef __ELF__
extern "C" {
[[gnu::weak]] int openblas_get_num_threads(void);
[[gnu::weak]] int openblas_get_parallel(void);  // 0: no threads; 1: threads of its own; 2: OpenMP
[[gnu::weak]] void openblas_set_num_threads(int);
[[gnu::weak]] void* blas_memory_alloc(int);  // a buffer, which it maps if none is free
[[gnu::weak]] void blas_memory_free(void*);  // the buffer stays mapped
}
#endif

namespace ashlar::kernels_detail {

#ifndef __ELF__  // a weak function needs a library that defines it
inline int (*const openblas_get_num_threads)() = nullptr;
inline int (*const openblas_get_parallel)() = nullptr;
inline void (*const openblas_set_num_threads)(int) = nullptr;
inline void* (*const blas_memory_alloc)(int) = nullptr;
inline void (*const blas_memory_free)(void*) = nullptr;
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

/// Has OpenBLAS map the buffers of some threads, which its later products use. If the mmap of a buffer fails, OpenBLAS
/// repeats it for ever. So a buffer is left out if there is no room for it now. Every build of OpenBLAS has 50 buffers or
/// more, and some ends the process that asks for more, so 32 at most are mapped.
inline void map_openblas_buffers(int threads) {
  if (threads > 32) threads = 32;
  if (blas_memory_alloc == nullptr || blas_memory_free == nullptr) return;
  constexpr std::size_t largest = std::size_t{1} << 28;  // is 2^27 on x86
  auto const fits = [] {
    void* const room = mmap(nullptr, largest, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, largest) == 0;
  };
  std::vector<void*> buffers;
  while (static_cast<int>(buffers.size()) < threads && fits()) buffers.push_back(blas_memory_alloc(0));
  for (void* const buffer : buffers) blas_memory_free(buffer);
}

/// True if Kokkos' threads are to divide products: OpenBLAS has POSIX threads of its own. Then it takes calls of several
/// threads at a time. A build without threads need not.
inline bool kokkos_divides_products() { return openblas_get_parallel != nullptr && openblas_get_parallel() == 1; }

}  // namespace ashlar::kernels_detail
