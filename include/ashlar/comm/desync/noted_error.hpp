// SPDX-License-Identifier: BSL-1.0
// An error that one rank has found between calls of the ranks.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ashlar::comm_detail {

/// An error that this rank alone may have found, such as an index outside. Empty: none. The next call of the ranks that can
/// tell the others does so, and each of them throws it.
inline std::string noted_error;
/// Notes an error, if there is none yet.
inline void note_error(std::string_view text) {
  if (noted_error.empty()) noted_error = text;
}

/// A fingerprint that no other rank has: ranks that compare see that `rank` has noted an error.
constexpr std::uint64_t with_noted_error(std::uint64_t fingerprint, int rank) {
  return fingerprint ^ (static_cast<std::uint64_t>(rank) + 1);
}

/// The text of a call for other ranks; or of an error that they throw.
struct sent_text {
  bool is_error = false;
  char text[256]{};
  void set(std::string_view s, bool error = false) {
    is_error = error;
    text[s.copy(text, sizeof text - 1)] = '\0';
  }
};

}  // namespace ashlar::comm_detail
