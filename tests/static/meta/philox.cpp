// Philox4x32-10 in constant evaluation: the published known-answer vectors, and what follows from its definition.
#include "ashlar/meta/philox.hpp"

using namespace ashlar;

// Known-answer vectors of Random123 (kat_vectors): zeros, ones, and the digits of pi.
static_assert(meta_detail::philox4x32_10({0, 0, 0, 0}, {0, 0}) ==
              meta_detail::philox_words{{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}});
static_assert(meta_detail::philox4x32_10({0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu},
                                         {0xffffffffu, 0xffffffffu}) ==
              meta_detail::philox_words{{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}});
static_assert(meta_detail::philox4x32_10({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u},
                                         {0xa4093822u, 0x299f31d0u}) ==
              meta_detail::philox_words{{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}});

// The first numbers of key 0 come from the block of zeros.
static_assert(random_bits(prng_key{0}, 0) == 0xe169c58d6627e8d5u && random_bits(prng_key{0}, 1) == 0x9b00dbd8bc57ac4cu);
static_assert(uniform<float>(prng_key{0}, 0) == 0x6627e8p-24f && uniform<float>(prng_key{0}, 3) == 0x9b00dbp-24f);
static_assert(uniform<double>(prng_key{0}, 0) == static_cast<double>(0xe169c58d6627e8d5u >> 11) / 9007199254740992.0);
static_assert(uniform<double>(prng_key{0}, 1) == static_cast<double>(0x9b00dbd8bc57ac4cu >> 11) / 9007199254740992.0);

template <class T>
constexpr bool test_block_is_its_elements() {
  constexpr int size = meta_detail::uniform_block<T>::size;
  for (index_t g = 0; g < 40; ++g)
    if (meta_detail::uniforms<T>(prng_key{5}, g / size).value[g % size] != uniform<T>(prng_key{5}, g)) return false;
  return true;
}
static_assert(test_block_is_its_elements<float>());
static_assert(test_block_is_its_elements<double>());

// Keys: a value that tells streams apart; folding commutes with nothing.
static_assert(fold_in(prng_key{7}, 1) == fold_in(prng_key{7}, 1));
static_assert(!(fold_in(prng_key{7}, 1) == fold_in(prng_key{7}, 2)));
static_assert(!(fold_in(prng_key{7}, 1) == fold_in(prng_key{8}, 1)));
static_assert(!(fold_in(fold_in(prng_key{7}, 1), 2) == fold_in(fold_in(prng_key{7}, 2), 1)));
static_assert(!(fold_in(prng_key{7}, 0) == prng_key{random_bits(prng_key{7}, 0)}));  // keys and numbers share no block
