// SPDX-License-Identifier: BSL-1.0
// Fingerprints of calls.
#pragma once
#include <cstdint>
#include <type_traits>

#include "ashlar/plan/ledger.hpp"

namespace ashlar::comm_detail {

/// The fingerprint of a call. Ranks that call the same have equal fingerprints. Different calls have equal ones with
/// probability 2^-56. The first byte is the collective.
constexpr std::uint64_t fingerprint_of(collective what, auto... more) {
  auto const first = static_cast<std::uint64_t>(what) << 56;
  std::uint64_t h = first;
  auto const mix = [&](std::uint64_t v) {
    h = (h ^ v) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
  };
  (mix(static_cast<std::uint64_t>(more)), ...);
  return (h & 0x00FFFFFFFFFFFFFFu) | first;
}

/// The same for a call that has a name. Adds the name to a fingerprint.
constexpr std::uint64_t with_name(std::uint64_t fingerprint, char const* name) {
  for (; *name != '\0'; ++name) fingerprint = fingerprint_of(collective::exchange, fingerprint, *name);
  return fingerprint;
}

/// Tells element types apart in a fingerprint: by size and, for numbers, by kind.
template <class T>
inline constexpr std::uint64_t element_code = sizeof(T) << 2 | (std::is_floating_point_v<T> ? 1u
                                                                : std::is_signed_v<T>       ? 2u
                                                                : std::is_unsigned_v<T>     ? 3u
                                                                                            : 0u);

}  // namespace ashlar::comm_detail
