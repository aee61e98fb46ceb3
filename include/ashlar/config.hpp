// Version and the few macros of the library.
#pragma once
#include <cstdint>

#define ASHLAR_VERSION_MAJOR 0
#define ASHLAR_VERSION_MINOR 1
#define ASHLAR_VERSION_PATCH 0

// Marks a function that kernels call too. Lower layers see no Kokkos, so this stands for KOKKOS_FUNCTION there.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define ASHLAR_FUNCTION __host__ __device__
#else
#define ASHLAR_FUNCTION
#endif

namespace ashlar {

/// Global extents and indices of a tensor.
using index_t = std::int64_t;

}  // namespace ashlar
