// The functions of io/deflate.hpp.
#pragma once
#include "ashlar/io/deflate.hpp"

namespace ashlar::io_detail {

ASHLAR_INLINE void append_deflated(std::vector<unsigned char>& to, unsigned char const* from, std::size_t n,
                                   int level) {
  std::size_t const before = to.size();
  uLongf length = compressBound(static_cast<uLong>(n));
  to.resize(before + length);
  if (compress2(to.data() + before, &length, from, static_cast<uLong>(n), level) != Z_OK)
    throw error("zlib cannot compress a chunk");
  to.resize(before + length);
}

ASHLAR_INLINE void shuffle_bytes(unsigned char const* from, std::size_t elements, std::size_t element_bytes,
                                 unsigned char* to) {
  for (std::size_t k = 0; k < element_bytes; ++k)
    for (std::size_t i = 0; i < elements; ++i) to[k * elements + i] = from[i * element_bytes + k];
}

}  // namespace ashlar::io_detail
