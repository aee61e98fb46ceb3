// SPDX-License-Identifier: BSL-1.0
// Patterns of parameter paths, matched by the compiler.
#pragma once
#include "ashlar/meta/literal.hpp"

namespace ashlar::train_detail {

/// A path or a pattern, as a range of characters.
struct text_range {
  char const* begin = nullptr;
  char const* end = nullptr;
};

constexpr bool starts_with(text_range text, text_range beginning) {
  if (text.end - text.begin < beginning.end - beginning.begin) return false;
  for (; beginning.begin != beginning.end; ++text.begin, ++beginning.begin)
    if (*text.begin != *beginning.begin) return false;
  return true;
}

constexpr bool equal(text_range a, text_range b) { return a.end - a.begin == b.end - b.begin && starts_with(a, b); }

// True if the text has no syntax of regular expressions. Keys of Keras and TensorFlow have it, and would match nothing.
constexpr bool is_pattern(text_range text) {
  for (char const* p = text.begin; p != text.end; ++p) {
    for (char const* special = "[](){}^$|+?\\"; *special != '\0'; ++special)
      if (*p == *special) return false;
    if (*p == '.' && p + 1 != text.end && p[1] == '*') return false;
  }
  return true;
}

/// True if the pattern is found anywhere in the text. Each `*` matches any characters, or none.
constexpr bool pattern_found(text_range pattern, text_range text) {
  for (char const *p = pattern.begin, *piece = p;; piece = ++p) {
    while (p != pattern.end && *p != '*') ++p;
    // The earliest place of each piece leaves most of the text to the next ones.
    for (; !starts_with(text, {piece, p}); ++text.begin)
      if (text.begin == text.end) return false;
    text.begin += p - piece;
    if (p == pattern.end) return true;
  }
}

}  // namespace ashlar::train_detail
