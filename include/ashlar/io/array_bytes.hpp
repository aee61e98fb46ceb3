// SPDX-License-Identifier: BSL-1.0
// The bytes of an array in a file, and how errors show its extents and a file's texts.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/comm/buffer.hpp"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ashlar::io_detail {

/// Files are written and read in chunks of whole pages.
inline constexpr std::size_t page_bytes = 4096, largest_chunk = 1 << 20;

/// The size of the chunks of an array of n bytes: about 256 chunks, so that many ranks can write parts of a small array.
constexpr std::size_t chunk_for(std::size_t n) {
  return std::clamp((n / 256 + page_bytes - 1) / page_bytes * page_bytes, page_bytes, largest_chunk);
}

/// Texts of a file by their names.
using named_texts = std::vector<std::pair<std::string, std::string>>;

ASHLAR_INLINE std::string extents_text(std::vector<index_t> const& extents);

// A text of a file as an error shows it: printable characters alone, and no more than `most`.
ASHLAR_INLINE std::string shown(std::string_view s, std::size_t most = 40);

/// True if a text is valid UTF-8: no code of more bytes than needed, no surrogate, nothing above U+10FFFF.
constexpr bool is_utf8(std::string_view s) {
  for (std::size_t i = 0; i < s.size();) {
    auto const byte = [&](std::size_t k) { return static_cast<unsigned char>(s[k]); };
    unsigned const lead = byte(i++);
    if (lead < 0x80) continue;
    if (lead < 0xc2 || lead > 0xf4) return false;
    for (unsigned k = 0, more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3; k < more; ++k, ++i) {
      if (i == s.size() || (byte(i) & 0xc0) != 0x80) return false;
      bool const too_long = (lead == 0xe0 && byte(i) < 0xa0) || (lead == 0xf0 && byte(i) < 0x90);
      bool const too_large = (lead == 0xed && byte(i) > 0x9f) || (lead == 0xf4 && byte(i) > 0x8f);
      if (k == 0 && (too_long || too_large)) return false;
    }
  }
  return true;
}

// Returns the bytes of an array. Calls `fail`, which must throw, if they exceed the largest std::ptrdiff_t. If one
// extent is 0 it still checks the product of the others, since callers multiply them too.
template <class Fail>
std::size_t bytes_of(std::vector<index_t> const& extents, std::size_t element_bytes, Fail const& fail) {
  std::uint64_t bytes = element_bytes;
  bool empty = false;
  for (index_t const n : extents) {
    auto const factor = static_cast<std::uint64_t>(n);
    empty |= n == 0;
    if (n != 0 && bytes > static_cast<std::uint64_t>((std::numeric_limits<std::ptrdiff_t>::max)()) / factor)
      fail("expected extents whose elements can be addressed, found " + extents_text(extents));
    if (n != 0) bytes *= factor;
  }
  return empty ? 0 : bytes;
}

}  // namespace ashlar::io_detail

#if ASHLAR_IMPL
#include "ashlar/io/impl/array_bytes.ipp"
#endif
