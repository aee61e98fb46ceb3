// SPDX-License-Identifier: BSL-1.0
// The functions of io/crc32.hpp.
#include <algorithm>

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

}  // namespace ashlar::io_detail
