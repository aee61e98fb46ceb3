// SPDX-License-Identifier: BSL-1.0
// The functions of kernels/random.hpp.
#include <cstring>

namespace ashlar::kernels_detail {

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__)
// Evaluates n / 8 * 8 counters in pairs of registers, in which each word has 64 bits, as the products need. Returns
// their number.
// Compilers do not find these products in loops over arrays of words: g++ 12 takes 3 times as long.
__attribute__((target("avx2"))) inline index_t philox_by_avx2(prng_key key, index_t first, index_t n,
                                                              meta_detail::philox_words* out) {
  using four [[gnu::vector_size(32)]] = std::uint64_t;
#ifndef __clang__
  using halves [[gnu::vector_size(32)]] = int;
#endif
  constexpr int registers = 2, lanes = 4;
  constexpr std::uint64_t low = 0xFFFFFFFFu, m0 = meta_detail::philox_factor_0, m1 = meta_detail::philox_factor_1;
  index_t done = 0;
  for (; n - done >= registers * lanes; done += registers * lanes) {
    four c0[registers], c1[registers], c2[registers], c3[registers];
    for (int r = 0; r < registers; ++r) {
      std::uint64_t const counter = static_cast<std::uint64_t>(first + done + r * lanes);
      c0[r] = counter + four{0, 1, 2, 3};
      c1[r] = c0[r] >> 32;
      c2[r] = c3[r] = four{};
    }
    auto k0 = static_cast<std::uint32_t>(key.value), k1 = static_cast<std::uint32_t>(key.value >> 32);
    for (int round = 0; round < 10; ++round, k0 += meta_detail::philox_step_0, k1 += meta_detail::philox_step_1)
      for (int r = 0; r < registers; ++r) {
#ifdef __clang__
        four const p0 = (c0[r] & low) * m0, p1 = (c2[r] & low) * m1;
#else
        auto const p0 = reinterpret_cast<four>(
            __builtin_ia32_pmuludq256(reinterpret_cast<halves>(c0[r]), reinterpret_cast<halves>(four{} + m0)));
        auto const p1 = reinterpret_cast<four>(
            __builtin_ia32_pmuludq256(reinterpret_cast<halves>(c2[r]), reinterpret_cast<halves>(four{} + m1)));
#endif
        c0[r] = (p1 >> 32) ^ c1[r] ^ std::uint64_t{k0};
        c1[r] = p1;
        c2[r] = (p0 >> 32) ^ c3[r] ^ std::uint64_t{k1};
        c3[r] = p0;
      }
    for (int r = 0; r < registers; ++r) {
      four const begin = (c0[r] & low) | (c1[r] << 32), end = (c2[r] & low) | (c3[r] << 32);
      for (int l = 0; l < lanes; ++l) {
        std::uint64_t const words[]{begin[l], end[l]};
        std::memcpy(out + done + r * lanes + l, words, sizeof(words));
      }
    }
  }
  return done;
}

inline bool has_avx2() {
  static bool const has = __builtin_cpu_supports("avx2");
  return has;
}
#endif

ASHLAR_INLINE void philox_blocks(prng_key key, index_t first, index_t n, meta_detail::philox_words* out) {
  index_t k = 0;
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__)
  if (has_avx2()) k = philox_by_avx2(key, first, n, out);
#endif
  for (; k < n; ++k)
    out[k] = meta_detail::philox(key, static_cast<std::uint64_t>(first + k), meta_detail::philox_use::numbers);
}

}  // namespace ashlar::kernels_detail
