// SPDX-License-Identifier: BSL-1.0
// The functions of io/deflate.hpp.

namespace ashlar::io_detail {

ASHLAR_INLINE std::size_t deflated_room(std::size_t n) { return compressBound(n); }

ASHLAR_INLINE std::size_t deflate_into(unsigned char* to, std::size_t room, unsigned char const* from, std::size_t n,
                                       int level) {
  uLongf length = room;
  if (compress2(to, &length, from, n, level) != Z_OK) throw error("zlib cannot compress a chunk");
  return length;
}

ASHLAR_INLINE void shuffle_bytes(unsigned char const* from, std::size_t elements, std::size_t element_bytes,
                                 unsigned char* to) {
  for (std::size_t k = 0; k < element_bytes; ++k)
    for (std::size_t i = 0; i < elements; ++i) to[k * elements + i] = from[i * element_bytes + k];
}

}  // namespace ashlar::io_detail
