// SPDX-License-Identifier: BSL-1.0
// Philox of consecutive counters, several at once.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/meta/philox.hpp"

namespace ashlar::kernels_detail {

/// The random bits of n consecutive counters of a key's numbers. A processor with AVX2 evaluates 8 counters at once,
/// whatever options the program is compiled with.
/// Pre: 0 <= first, 0 <= n
/// Post: out[k] == philox(key, first + k, philox_use::numbers) for 0 <= k < n
ASHLAR_INLINE void philox_blocks(prng_key key, index_t first, index_t n, meta_detail::philox_words* out);

}  // namespace ashlar::kernels_detail

#if ASHLAR_IMPL
#include "ashlar/kernels/impl/philox_blocks.ipp"
#endif
