// SPDX-License-Identifier: BSL-1.0
// Compression of chunks: the filters "shuffle" and "deflate" of HDF5.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/meta/error.hpp"
#if !__has_include(<zlib.h>)
#error \
    "ashlar::save_hdf5: zlib is needed and zlib.h is not found; install it (on Debian zlib1g-dev) and link ashlar::hdf5"
#include <missing/zlib.h>  // ends the compilation here
#endif
#include <zlib.h>
#include <cstddef>

namespace ashlar::io_detail {

/// The most bytes that n bytes become.
ASHLAR_INLINE std::size_t deflated_room(std::size_t n);
/// Writes n bytes in zlib's format, and returns their number. Pre: 1 <= level <= 9, n < 2^32, room >= deflated_room(n).
/// Error: ashlar::error if zlib has no memory.
ASHLAR_INLINE std::size_t deflate_into(unsigned char* to, std::size_t room, unsigned char const* from, std::size_t n,
                                       int level);

/// Byte k of all elements follows byte k - 1 of all elements: neighbours are alike, so they compress better.
ASHLAR_INLINE void shuffle_bytes(unsigned char const* from, std::size_t elements, std::size_t element_bytes,
                                 unsigned char* to);

}  // namespace ashlar::io_detail

#if ASHLAR_IMPL
#include "ashlar/io/impl/deflate.ipp"
#endif
