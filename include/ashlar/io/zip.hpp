// SPDX-License-Identifier: BSL-1.0
// Zip files: written without compression, read also deflated.
#pragma once
#include "ashlar/config.hpp"
#include "ashlar/io/array_bytes.hpp"
#include "ashlar/io/checked_file.hpp"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::io_detail {

/// A member of a zip file. Its local header is at byte `at` of the file, its content follows at byte `begin`.
struct zip_member {
  std::string name;
  std::uint64_t at = 0, begin = 0, bytes = 0;
  std::uint32_t crc = 0;
  // Of files that are read: flags, method of compression, bytes in the file.
  unsigned flags = 0, method = 0;
  std::uint64_t stored_bytes = 0;
};

/// Reads the directory of a zip file. `begin` of the members is not known yet.
/// Bytes before the archive and after it are allowed, as unzip and Python's zipfile do.
/// Error: ashlar::error if the directory is damaged, or is not where its file says.
ASHLAR_INLINE std::vector<zip_member> members_of_zip(checked_file const& in);

/// True if the member has this name in UTF-8. A name without the flag of UTF-8 is compared in two ways. One takes its
/// bytes, as unzip does, and the other characters of code page 437, as zipfile and NumPy do.
ASHLAR_INLINE bool is_named(zip_member const& member, std::string_view name);

/// Finds the content of a member, and makes `in` this content. Deflated content is inflated while it is read.
/// Error: ashlar::error if the member is compressed in another way or encrypted, or its local header differs from the
///   directory. Also if it could not have so many bytes.
ASHLAR_INLINE void narrow_to(checked_file& in, zip_member const& member);

/// Places members one after the other. Their contents begin at multiples of 64, or of a page if they are large, as the
/// elements of .npy files do. Returns the byte at which the directory begins.
ASHLAR_INLINE std::uint64_t place_members(std::vector<zip_member>& members);

/// The bytes of a file from `at` to `begin` of a member.
ASHLAR_INLINE std::string local_header_of(zip_member const& member);

/// The last bytes of a file: its directory, which begins at byte `at`. Its length does not depend on the checksums.
ASHLAR_INLINE std::string directory_of(std::vector<zip_member> const& members, std::uint64_t at);

}  // namespace ashlar::io_detail

#if ASHLAR_IMPL
#include "ashlar/io/impl/zip.ipp"
#endif
