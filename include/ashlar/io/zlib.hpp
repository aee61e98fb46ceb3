// SPDX-License-Identifier: BSL-1.0
// zlib's functions: CRC-32, the checksum of zip files; HDF5's filters "shuffle" and "deflate"; bytes that are inflated.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/io/checked_file.hpp"
#if !__has_include(<zlib.h>)
#error "ashlar::io: zlib is needed and zlib.h is not found; install it (on Debian zlib1g-dev) and link ashlar::ashlar"
#include <missing/zlib.h>  // ends the compilation here
#endif
#include <zlib.h>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ashlar::io_detail {

/// The share of n bytes in the CRC-32 of a text, of which `after` bytes follow them. The CRC-32 of the text is the
/// exclusive or of the shares of its parts, so several ranks can compute it.
ASHLAR_INLINE std::uint32_t crc32_share(void const* part, std::size_t n, std::uint64_t after);

/// Writes n bytes in zlib's format, and returns their number. Pre: 1 <= level <= 9, n < 2^32, room >= compressBound(n).
/// Error: ashlar::error if zlib has no memory.
ASHLAR_INLINE std::size_t deflate_into(unsigned char* to, std::size_t room, unsigned char const* from, std::size_t n,
                                       int level);

/// Byte k of all elements follows byte k - 1 of all elements: neighbours are alike, so they compress better.
ASHLAR_INLINE void shuffle_bytes(unsigned char const* from, std::size_t elements, std::size_t element_bytes,
                                 unsigned char* to);

/// Reads the bytes of a file in order, inflated. It holds one buffer, whatever sizes the file declares.
class inflated_bytes {
 public:
  /// One or more members of a gzip file in sequence, or deflated data alone. The numbers are zlib's.
  enum class format : int { gzip = 15 + 16, deflate = -15 };

  /// `stored`: the bytes of the file that count.
  explicit inflated_bytes(format f, std::uint64_t stored = (std::numeric_limits<std::uint64_t>::max)());
  ~inflated_bytes() { inflateEnd(&stream_); }
  inflated_bytes(inflated_bytes const&) = delete;
  inflated_bytes& operator=(inflated_bytes const&) = delete;

  /// Reads the next n bytes, or fewer at the end. All checksums of gzip up to that end are then correct.
  std::size_t read(checked_file const& from, std::uint8_t* to, std::size_t n);
  /// Begins again with the first byte.
  void rewind();

 private:
  bool refill(checked_file const& from);
  std::size_t inflate_some(checked_file const& from, std::uint8_t* to, std::size_t n);

  format format_;
  std::uint64_t stored_, at_ = 0;
  std::vector<std::uint8_t> buffer_ = std::vector<std::uint8_t>(1 << 16);
  z_stream stream_{};
  bool inside_member_ = false, has_ended_ = false;
};

/// Reads the content of a deflated member of a zip file, of `bytes` bytes. A read before the last one begins again with the
/// first byte.
/// Error: ashlar::error of `in` if the data are damaged, or are more or fewer bytes.
class inflated_member {
 public:
  inflated_member(std::uint64_t bytes, std::uint64_t stored)
      : bytes_(bytes), data_(inflated_bytes::format::deflate, stored) {}
  std::size_t read(checked_file const& in, std::uint64_t at, std::uint8_t* to, std::size_t n);

 private:
  std::uint64_t bytes_, at_ = 0;
  inflated_bytes data_;
};

}  // namespace ashlar::io_detail

#if ASHLAR_IMPL
#include "ashlar/io/impl/zlib.ipp"
#endif
