// SPDX-License-Identifier: BSL-1.0
// The functions of io/zlib.hpp.
#include <algorithm>
#include <string>
#include "ashlar/comm/buffer.hpp"

namespace ashlar::io_detail {

ASHLAR_INLINE std::uint32_t crc32_share(void const* part, std::size_t n, std::uint64_t after) {
  auto const* at = static_cast<unsigned char const*>(part);
  uLong sum = crc32(0, nullptr, 0);
  for (std::size_t rest = n; rest != 0;) {
    std::size_t const length = (std::min)(rest, std::size_t{1} << 30);
    sum = crc32(sum, at, static_cast<uInt>(length));
    at += length;
    rest -= length;
  }
  return static_cast<std::uint32_t>(crc32_combine(sum, 0, static_cast<z_off_t>(after)));
}

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

inline constexpr std::size_t inflate_bytes = (32 << 10) + (7 << 10);  // zlib's window and state

inline char const* name_of(inflated_bytes::format f) { return f == inflated_bytes::format::gzip ? "gzip" : "deflated"; }

ASHLAR_INLINE inflated_bytes::inflated_bytes(format f, std::uint64_t stored) : format_(f), stored_(stored) {
  if (inflateInit2(&stream_, static_cast<int>(f)) != Z_OK) throw comm_detail::out_of_memory(inflate_bytes);
}

ASHLAR_INLINE std::size_t inflated_bytes::read(checked_file const& from, std::uint8_t* to, std::size_t n) {
  std::size_t done = 0;
  while (done < n && !(has_ended_ && format_ == format::deflate)) {
    if (stream_.avail_in == 0 && !refill(from)) {
      if (inside_member_)
        from.fail("expected whole " + std::string(name_of(format_)) + " data, found that they end in the middle");
      break;
    }
    done += inflate_some(from, to + done, n - done);
  }
  return done;
}

ASHLAR_INLINE void inflated_bytes::rewind() {
  at_ = 0;
  stream_.avail_in = 0;
  inside_member_ = has_ended_ = false;
}

ASHLAR_INLINE bool inflated_bytes::refill(checked_file const& from) {
  auto const most = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), stored_ - at_));
  std::size_t const n = from.read_stored(at_, buffer_.data(), most);
  at_ += n;
  stream_.next_in = buffer_.data();
  stream_.avail_in = static_cast<uInt>(n);
  return n > 0;
}

ASHLAR_INLINE std::size_t inflated_bytes::inflate_some(checked_file const& from, std::uint8_t* to, std::size_t n) {
  if (!inside_member_) inflateReset(&stream_);
  n = (std::min)(n, std::size_t{(std::numeric_limits<uInt>::max)()});
  stream_.next_out = to;
  stream_.avail_out = static_cast<uInt>(n);
  int const status = inflate(&stream_, Z_NO_FLUSH);
  if (status == Z_MEM_ERROR) throw comm_detail::out_of_memory(inflate_bytes);
  if (status != Z_OK && status != Z_STREAM_END)
    from.fail("expected sound " + std::string(name_of(format_)) + " data, found " +
              (stream_.msg ? stream_.msg : "no progress"));
  inside_member_ = status == Z_OK;
  has_ended_ = !inside_member_;
  return n - stream_.avail_out;
}

ASHLAR_INLINE std::size_t inflated_member::read(checked_file const& in, std::uint64_t at, std::uint8_t* to,
                                                std::size_t n) {
  std::uint8_t scratch[1 << 14];
  auto const next = [&](std::uint8_t* into, std::size_t most) {
    std::size_t const got = data_.read(in, into, most);
    at_ += got;
    if (got != most)
      in.fail("expected " + std::to_string(bytes_) + " bytes of deflated data, found " + std::to_string(at_));
  };
  if (at < at_) data_.rewind(), at_ = 0;
  while (at_ < at) next(scratch, static_cast<std::size_t>(std::min<std::uint64_t>(sizeof scratch, at - at_)));
  next(to, n);
  if (at_ == bytes_ && data_.read(in, scratch, 1) != 0)
    in.fail("expected " + std::to_string(bytes_) + " bytes of deflated data, found more");
  return n;
}

}  // namespace ashlar::io_detail
