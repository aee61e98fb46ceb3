// SPDX-License-Identifier: BSL-1.0
// Random numbers as a function of a key and a global index: Philox4x32-10, uniform numbers.
#pragma once
#include "ashlar/config.hpp"
#include <cstdint>
#include <type_traits>

namespace ashlar {

/// The key of a stream of random numbers. It is a value and is never advanced: fold_in makes further streams.
/// Example: uniform<float>(prng_key{7}, 0) is the same number on every rank, in every layout, in every run
struct prng_key {
  std::uint64_t value;
  friend constexpr bool operator==(prng_key const&, prng_key const&) = default;
};

namespace meta_detail {

/// The 128 random bits of one evaluation of Philox.
struct philox_words {
  std::uint32_t word[4];
  friend constexpr bool operator==(philox_words const&, philox_words const&) = default;
};

/// The factors of a round of Philox, and what it adds to the key.
inline constexpr std::uint32_t philox_factor_0 = 0xD2511F53u, philox_factor_1 = 0xCD9E8D57u;
inline constexpr std::uint32_t philox_step_0 = 0x9E3779B9u, philox_step_1 = 0xBB67AE85u;

/// Philox4x32-10: a keyed bijection on 128-bit counters whose outputs pass statistical tests of randomness. Words of
/// low significance come first. (The name ends in _10 because Random123 defines a macro named philox4x32.)
/// Source: Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3, SC'11.
ASHLAR_FUNCTION constexpr philox_words philox4x32_10(std::uint32_t const (&counter)[4], std::uint32_t const (&key)[2]) {
  std::uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  std::uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < 10; ++round) {
    std::uint64_t const p0 = std::uint64_t{philox_factor_0} * c0;
    std::uint64_t const p1 = std::uint64_t{philox_factor_1} * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(p1);
    c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(p0);
    k0 += philox_step_0;
    k1 += philox_step_1;
  }
  return {{c0, c1, c2, c3}};
}

// The use of a counter, stored in its last word. So derived keys and random numbers never come from the same block.
enum class philox_use : std::uint32_t { numbers, keys };

ASHLAR_FUNCTION constexpr philox_words philox(prng_key key, std::uint64_t n, philox_use use) {
  using word = std::uint32_t;
  return philox4x32_10({static_cast<word>(n), static_cast<word>(n >> 32), 0, static_cast<word>(use)},
                       {static_cast<word>(key.value), static_cast<word>(key.value >> 32)});
}

/// 64 bits of a block, from its first (0) or second (1) half.
ASHLAR_FUNCTION constexpr std::uint64_t half(philox_words const& w, unsigned i) {
  return std::uint64_t{w.word[2 * i + 1]} << 32 | w.word[2 * i];
}
}  // namespace meta_detail

/// Derives the key of a separate stream for each `datum` (a layer, a step, an example). To split a key into n keys,
/// fold in 0 .. n-1.
/// Example: fold_in(fold_in(prng_key{7}, step), layer)
ASHLAR_FUNCTION constexpr prng_key fold_in(prng_key key, std::uint64_t datum) {
  return {meta_detail::half(meta_detail::philox(key, datum, meta_detail::philox_use::keys), 0)};
}

/// 64 random bits for a global index. Two neighbours share one evaluation of Philox.
/// Pre: g >= 0
/// Example: random_bits(prng_key{1}, 5) is the same number on every rank
ASHLAR_FUNCTION constexpr std::uint64_t random_bits(prng_key key, index_t g) {
  auto const u = static_cast<std::uint64_t>(g);
  return meta_detail::half(meta_detail::philox(key, u / 2, meta_detail::philox_use::numbers),
                           static_cast<unsigned>(u % 2));
}

namespace meta_detail {

/// Uniform numbers of consecutive global indices from one evaluation of Philox: 4 float or 2 double.
template <class T>
struct uniform_block;

template <class T>
inline constexpr bool is_neither_float_nor_double = !std::is_same_v<T, float> && !std::is_same_v<T, double>;

template <>
struct uniform_block<float> {
  static constexpr int size = 4;
  float value[size];
};

template <>
struct uniform_block<double> {
  static constexpr int size = 2;
  double value[size];
};

/// The numbers that random bits make.
template <class T>
ASHLAR_FUNCTION constexpr uniform_block<T> uniforms(philox_words const& w) {
  uniform_block<T> u{};
  if constexpr (uniform_block<T>::size == 4) {
    // Signed: processors convert several signed integers at once.
    for (int i = 0; i < 4; ++i) u.value[i] = static_cast<T>(static_cast<std::int32_t>(w.word[i] >> 8)) * T(0x1p-24);
  } else {
    for (unsigned i = 0; i < 2; ++i) u.value[i] = static_cast<T>(half(w, i) >> 11) * T(0x1p-53);
  }
  return u;
}

/// The numbers of the global indices b*size to b*size + size-1, for kernels that fill several neighbours at once.
/// Pre: b >= 0
/// Post: uniforms<T>(key, b).value[i] == uniform<T>(key, b * uniform_block<T>::size + i)
template <class T>
ASHLAR_FUNCTION constexpr uniform_block<T> uniforms(prng_key key, index_t b) {
  return uniforms<T>(philox(key, static_cast<std::uint64_t>(b), philox_use::numbers));
}

}  // namespace meta_detail

/// The uniform number of a global linear index, in [0, 1): a multiple of 2^-24 (float) or 2^-53 (double). It depends
/// only on key and index, so an array filled with it is the same in every layout.
/// Pre: g >= 0
/// Error: a T that is neither float nor double does not compile.
/// Example: uniform<double>(prng_key{1}, 5) is element 5 of every array that this key fills
template <class T>
ASHLAR_FUNCTION constexpr T uniform(prng_key key, index_t g) {
  static_assert(!meta_detail::is_neither_float_nor_double<T>,
                "ashlar::uniform: numbers are drawn as float or double; convert them afterwards");
  if constexpr (meta_detail::is_neither_float_nor_double<T>) {
    return {};
  } else {
    constexpr int size = meta_detail::uniform_block<T>::size;
    return meta_detail::uniforms<T>(key, g / size).value[g % size];
  }
}

}  // namespace ashlar
