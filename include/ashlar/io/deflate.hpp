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
#include <vector>

namespace ashlar::io_detail {

/// Appends n bytes in zlib's format. Pre: 1 <= level <= 9, n < 2^32.
/// Error: ashlar::error if zlib has no memory.
ASHLAR_INLINE void append_deflated(std::vector<unsigned char>& to, unsigned char const* from, std::size_t n, int level);

/// Byte k of all elements follows byte k - 1 of all elements: neighbours are alike, so they compress better.
ASHLAR_INLINE void shuffle_bytes(unsigned char const* from, std::size_t elements, std::size_t element_bytes,
                                 unsigned char* to);

}  // namespace ashlar::io_detail

#ifndef ASHLAR_INSTANTIATED
#include "ashlar/io/compiled/deflate.hpp"
#endif
