// SPDX-License-Identifier: BSL-1.0
// Fingerprints of calls.
#pragma once
#include <cstdint>
#include <span>
#include <type_traits>

#include "ashlar/plan/ledger.hpp"

namespace ashlar::comm_detail {

/// Mixes one more word into a hash of words in order.
constexpr std::uint64_t mixed_words(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 29;
}

/// The fingerprint of a call. Ranks that call the same have equal fingerprints. Different calls have equal ones with
/// probability 2^-56. The first byte is the collective.
constexpr std::uint64_t fingerprint_of(collective what, auto... more) {
  auto const first = static_cast<std::uint64_t>(what) << 56;
  std::uint64_t h = first;
  ((h = mixed_words(h, static_cast<std::uint64_t>(more))), ...);
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

template <class T>
constexpr std::uint64_t code_of_type() {
  return with_name(0, __PRETTY_FUNCTION__);
}
/// Tells types apart in a fingerprint, such as reductions: by their names.
template <class T>
inline constexpr std::uint64_t code_of = code_of_type<T>();

/// The fingerprint of a collective of blocks of `counts` elements with this code.
constexpr std::uint64_t fingerprint_of_counts(collective what, std::uint64_t element,
                                              std::span<std::size_t const> counts, auto... more) {
  std::uint64_t h = fingerprint_of(what, element, more...);
  for (std::size_t const n : counts) h = fingerprint_of(what, h, n);
  return h;
}

}  // namespace ashlar::comm_detail
