// Compression of chunks: the filters "shuffle" and "deflate" of HDF5.
#pragma once
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
inline void append_deflated(std::vector<unsigned char>& to, unsigned char const* from, std::size_t n, int level) {
  std::size_t const before = to.size();
  uLongf length = compressBound(static_cast<uLong>(n));
  to.resize(before + length);
  if (compress2(to.data() + before, &length, from, static_cast<uLong>(n), level) != Z_OK)
    throw error("zlib cannot compress a chunk");
  to.resize(before + length);
}

/// Byte k of all elements follows byte k - 1 of all elements: neighbours are alike, so they compress better.
inline void shuffle_bytes(unsigned char const* from, std::size_t elements, std::size_t element_bytes,
                          unsigned char* to) {
  for (std::size_t k = 0; k < element_bytes; ++k)
    for (std::size_t i = 0; i < elements; ++i) to[k * elements + i] = from[i * element_bytes + k];
}

}  // namespace ashlar::io_detail
