// SPDX-License-Identifier: BSL-1.0
// Updates that take a square root. The host takes several roots at once: compilers do so by themselves only with
// -fno-math-errno.
#pragma once
#include <cstring>

#include "ashlar/kernels/elementwise.hpp"
// <emmintrin.h> is slow to parse. g++ and clang have the two instructions without it.
#if defined(__SSE2__) && !defined(__CUDACC__) && __has_builtin(__builtin_ia32_sqrtps) && \
    __has_builtin(__builtin_ia32_sqrtpd)
#define ASHLAR_BUILTIN_ROOTS 1
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace ashlar::kernels_detail {

#if defined(__SSE2__)
using four_floats [[gnu::vector_size(16)]] = float;
using two_doubles [[gnu::vector_size(16)]] = double;
#ifdef ASHLAR_BUILTIN_ROOTS
inline four_floats roots_of(four_floats x) { return __builtin_ia32_sqrtps(x); }
inline two_doubles roots_of(two_doubles x) { return __builtin_ia32_sqrtpd(x); }
#else
inline four_floats roots_of(four_floats x) { return _mm_sqrt_ps(x); }
inline two_doubles roots_of(two_doubles x) { return _mm_sqrt_pd(x); }
#endif

/// Takes the root of each of the n numbers at x, which whole vectors hold.
template <class Several, index_t n, class T>
void square_roots_of_several(T* x) {
  constexpr index_t width = sizeof(Several) / sizeof(T);
  for (index_t i = 0; i < n; i += width) {
    Several some;
    std::memcpy(&some, x + i, sizeof some);
    some = roots_of(some);
    std::memcpy(x + i, &some, sizeof some);
  }
}
#endif

/// Takes the root of each of the n numbers at x. (g++ warns of a loop over the rest of n numbers that it has inlined.)
template <index_t n, class T>
void square_roots(T* x) {
  static_assert(n % 4 == 0);
#if defined(__SSE2__)
  if constexpr (std::is_same_v<T, float>)
    square_roots_of_several<four_floats, n>(x);
  else if constexpr (std::is_same_v<T, double>)
    square_roots_of_several<two_doubles, n>(x);
  else
#elif defined(__aarch64__)
  if constexpr (std::is_same_v<T, float>)
    for (index_t i = 0; i < n; i += 4) vst1q_f32(x + i, vsqrtq_f32(vld1q_f32(x + i)));
  else if constexpr (std::is_same_v<T, double>)
    for (index_t i = 0; i < n; i += 2) vst1q_f64(x + i, vsqrtq_f64(vld1q_f64(x + i)));
  else
#endif
    for (index_t i = 0; i < n; ++i) x[i] = Kokkos::sqrt(x[i]);
}

/// Turns an update with a root into a plain update.
template <class F>
struct with_root {
  F f;
  template <class... T>
  KOKKOS_FUNCTION void operator()(T&... x) const {
    f.with_root(Kokkos::sqrt(f.under_root(x...)), x...);
  }
};

// Not inlined: g++ ignores restrict in functions that it inlines. Blocks have a constant length, so that the compiler
// unrolls them. They are short, so that the divisions of one block overlap the roots of the next.
template <class F, class First, class... T>
[[gnu::noinline]] void update_run(index_t n, F f, First* __restrict first, T* __restrict... array) {
  constexpr index_t width = 32;
  First root[width];
  index_t i = 0;
  for (; i + width <= n; i += width) {
    for (index_t j = 0; j < width; ++j) root[j] = f.under_root(first[i + j], array[i + j]...);
    square_roots<width>(root);
    for (index_t j = 0; j < width; ++j) f.with_root(root[j], first[i + j], array[i + j]...);
  }
  for (; i < n; ++i) f.with_root(Kokkos::sqrt(f.under_root(first[i], array[i]...)), first[i], array[i]...);
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

/// Calls f.with_root(sqrt(f.under_root(array[i]...)), array[i]...) for i in [0, n), in one kernel. Both functions may
/// write the elements.
/// Pre: an array that is written overlaps no other.
template <class Space, class F, class... T>
void for_each_with_root(Space const& space, index_t n, F const& f, T*... array) {
  if constexpr (kernels_detail::runs_in_caller<Space>)
    kernels_detail::for_ranges(
        "ashlar::for_each", space, n, kernels_detail::elements_per_thread,
        [&](index_t begin, index_t end) { kernels_detail::update_run(end - begin, f, array + begin...); });
  else
    kernels_detail::for_each_by_elements(space, n, kernels_detail::with_root<F>{f}, array...);
}

}  // namespace ashlar::kernels
