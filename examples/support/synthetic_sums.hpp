// SPDX-License-Identifier: BSL-1.0
// Sums in words, for programs that learn a text and must run without data files.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/config.hpp"
#include "ashlar/io/idx.hpp"
#include "ashlar/meta/philox.hpp"

namespace ashlar {

/// Excerpts of a text without end, "three plus four is seven. one plus ...", and the characters that follow each of
/// theirs. Characters are tokens: positions in the alphabet.
/// Shape: both arrays {excerpts, length}.
/// Post: the same bytes on every rank.
/// Cost: about 0.1 microseconds per character.
struct synthetic_sums {
  using tokens = std::vector<std::uint8_t>;
  static constexpr std::string_view alphabet = " .efghilnoprstuvwxz";
  static constexpr index_t summands = 5;  ///< zero to four

  idx_array characters, next;

  /// Pre: excerpts >= 0, length >= 0.
  synthetic_sums(prng_key key, index_t excerpts, index_t length);

  /// "three plus four is", then " seven.". Pre: 0 <= a < summands, and so is b.
  static std::string question(index_t a, index_t b);
  static std::string answer(index_t a, index_t b);

  /// Pre: all characters of the text are in the alphabet.
  static tokens tokens_of(std::string_view text);
  static std::string text_of(tokens const& all);
};

}  // namespace ashlar

#ifndef ASHLAR_INSTANTIATED
#include "ashlar/data/compiled/synthetic_sums.hpp"
#endif
