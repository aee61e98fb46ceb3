// SPDX-License-Identifier: BSL-1.0
// CRC-32: the checksum of zip files.
#pragma once
#include "ashlar/config.hpp"
#if !__has_include(<zlib.h>)
#error \
    "ashlar::load_npz: zlib is needed and zlib.h is not found; install it (on Debian zlib1g-dev) and link ashlar::ashlar"
#include <missing/zlib.h>  // ends the compilation here
#endif
#include <zlib.h>
#include <cstddef>
#include <cstdint>

namespace ashlar::io_detail {

/// The share of n bytes in the CRC-32 of a text, of which `after` bytes follow them. The CRC-32 of the text is the
/// exclusive or of the shares of its parts, so several ranks can compute it.
ASHLAR_INLINE std::uint32_t crc32_share(void const* part, std::size_t n, std::uint64_t after);

}  // namespace ashlar::io_detail

#if ASHLAR_IMPL
#include "ashlar/io/impl/crc32.ipp"
#endif
