// SPDX-License-Identifier: BSL-1.0
// Patterns of parameter paths, matched by the compiler.
#pragma once
#include <algorithm>
#include <string_view>

namespace ashlar::train_detail {

// True if the text has no syntax of regular expressions. Keys of Keras and TensorFlow have it, and would match nothing.
constexpr bool is_pattern(std::string_view text) {
  return text.find_first_of("[](){}^$|+?\\") == text.npos && text.find(".*") == text.npos;
}

/// True if the pattern is found anywhere in the text. Each `*` matches any characters, or none.
constexpr bool pattern_found(std::string_view pattern, std::string_view text) {
  for (;;) {
    // The earliest place of each piece leaves most of the text to the next ones.
    std::size_t const end = (std::min)(pattern.find('*'), pattern.size()), at = text.find(pattern.substr(0, end));
    if (at == text.npos) return false;
    if (end == pattern.size()) return true;
    text.remove_prefix(at + end);
    pattern.remove_prefix(end + 1);
  }
}

}  // namespace ashlar::train_detail
