// SPDX-License-Identifier: BSL-1.0
// Version and the few macros of the library.
#pragma once
#if !defined(__GNUC__) && !defined(__clang__) && !defined(ASHLAR_ANY_COMPILER)
#error \
    "ashlar::config: this compiler has never been tried; use g++ 12 or clang 16 or newer, or define ASHLAR_ANY_COMPILER"
#include <missing/known_compiler>  // ends the compilation here
#elif __cplusplus < 202002L
#error "ashlar::config: C++20 is needed; compile with -std=c++20, or link a CMake target of ashlar"
#include <missing/cxx20>
#elif !defined(__cpp_exceptions)
#error "ashlar::config: errors are exceptions; compile without -fno-exceptions"
#include <missing/exceptions>
#endif
#include <cstddef>
#include <cstdint>

#define ASHLAR_VERSION_MAJOR 0
#define ASHLAR_VERSION_MINOR 1
#define ASHLAR_VERSION_PATCH 0

// Marks a function that kernels call too. Lower layers see no Kokkos, so this is KOKKOS_FUNCTION there.
#if defined(__HIPCC__) && defined(__clang__)  // without HIP's headers __host__ is no word yet
#define ASHLAR_FUNCTION __attribute__((host)) __attribute__((device))
#elif defined(__CUDACC__) || defined(__HIPCC__)
#define ASHLAR_FUNCTION __host__ __device__
#else
#define ASHLAR_FUNCTION
#endif

// Functions that are no templates are defined in impl/<name>.ipp, which <name>.hpp includes where ASHLAR_IMPL is 1: in
// each source, as inline functions. A program may compile them once: one source defines ASHLAR_IMPLEMENTATION before it
// includes ashlar, and all others define ASHLAR_COMPILED. The library ashlar::compiled is such a source.
#ifdef ASHLAR_IMPLEMENTATION
#define ASHLAR_IMPL 1
#define ASHLAR_INLINE
#define ASHLAR_EXTERN
#elif defined(ASHLAR_COMPILED)
#define ASHLAR_IMPL 0
#define ASHLAR_INLINE
#define ASHLAR_EXTERN extern
#else
#define ASHLAR_IMPL 1
#define ASHLAR_INLINE inline
#endif

// The element types for which that source has the templates that depend on the element type alone: TEMPLATES(T) declares
// them, each after ASHLAR_EXTERN.
#define ASHLAR_FOR_EACH_ELEMENT(TEMPLATES) \
  TEMPLATES(float) TEMPLATES(double) TEMPLATES(std::int32_t) TEMPLATES(std::int64_t)

// 1 if ashlar uses what Linux alone has: memory files, /proc, masks of cores, getauxval. -DASHLAR_LINUX=0 leaves it out.
#ifndef ASHLAR_LINUX
#ifdef __linux__
#define ASHLAR_LINUX 1
#else
#define ASHLAR_LINUX 0
#endif
#endif

namespace ashlar {

/// Global extents and indices of a tensor.
using index_t = std::int64_t;

}  // namespace ashlar

// What a layer keeps to itself is in its detail namespace, which sees the detail namespaces of the layers that it may include.
namespace ashlar {
namespace meta_detail {

// A number as the bound of an array. g++ warns of an int there by -Wsign-conversion, in templates.
ASHLAR_FUNCTION constexpr std::size_t array_bound(auto n) { return static_cast<std::size_t>(n); }

}  // namespace meta_detail
namespace mesh_detail {
using namespace meta_detail;
}
namespace nn {}
namespace layout_detail {
using namespace mesh_detail;
using namespace nn;
}  // namespace layout_detail
namespace planning {}
namespace plan_detail {
using namespace layout_detail;
using namespace planning;
}  // namespace plan_detail
namespace transforms {}
namespace ops_detail {
using namespace plan_detail;
using namespace transforms;
}  // namespace ops_detail
namespace autodiff_detail {
using namespace ops_detail;
}
namespace comm_detail {
using namespace autodiff_detail;
}
namespace kernels_detail {
using namespace autodiff_detail;
}
namespace tensor_detail {
using namespace comm_detail;
using namespace kernels_detail;
}  // namespace tensor_detail
namespace io {}
namespace io_detail {
using namespace tensor_detail;
using namespace io;
}  // namespace io_detail
namespace datasets {}
namespace data_detail {
using namespace io_detail;
using namespace datasets;
}  // namespace data_detail
namespace checkpoint_detail {
using namespace data_detail;
}
namespace training {}
namespace train_detail {
using namespace checkpoint_detail;
using namespace training;
}  // namespace train_detail
}  // namespace ashlar
