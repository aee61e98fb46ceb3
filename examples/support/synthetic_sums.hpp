// Sums in words, for programs that learn a text and must run without data files.
#pragma once
#include <ashlar/io/idx.hpp>
#include <ashlar/meta/philox.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace examples {

using namespace ashlar;
using namespace ashlar::training;

/// Excerpts of a text without end, "three plus four is seven. one plus ...", and the characters that follow each of
/// theirs. Characters are tokens: positions in the alphabet.
/// Shape: both arrays {excerpts, length}.
/// Post: the same bytes on every rank.
/// Cost: about 0.1 microseconds per character.
struct synthetic_sums {
  using tokens = std::vector<std::uint8_t>;
  static constexpr std::string_view alphabet = " .efghilnoprstuvwxz";
  static constexpr index_t summands = 5;  ///< zero to four

  io::idx_array characters, next;

  /// Pre: excerpts >= 0, length >= 0.
  synthetic_sums(prng_key key, index_t excerpts, index_t length);

  /// "three plus four is", then " seven.". Pre: 0 <= a < summands, and so is b.
  static std::string question(index_t a, index_t b);
  static std::string answer(index_t a, index_t b);

  /// Pre: all characters of the text are in the alphabet.
  static tokens tokens_of(std::string_view text);
  static std::string text_of(tokens const& all);
};

inline constexpr char const* number_words[]{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight"};

inline synthetic_sums::synthetic_sums(prng_key key, index_t excerpts, index_t length) {
  std::string text;
  auto const size = static_cast<std::size_t>(excerpts * length) + 1;
  for (index_t i = 0; text.size() < size; i += 2) {
    auto const summand = [&](index_t n) {
      return static_cast<index_t>(random_bits(key, n) % static_cast<std::uint64_t>(summands));
    };
    index_t const a = summand(i), b = summand(i + 1);
    text += question(a, b) + answer(a, b) + " ";
  }
  tokens const all = tokens_of(std::string_view(text).substr(0, size));
  characters = {{excerpts, length}, {all.begin(), all.end() - 1}};
  next = {{excerpts, length}, {all.begin() + 1, all.end()}};
}

inline std::string synthetic_sums::question(index_t a, index_t b) {
  return std::string(number_words[a]) + " plus " + number_words[b] + " is";
}

inline std::string synthetic_sums::answer(index_t a, index_t b) { return std::string(" ") + number_words[a + b] + "."; }

inline synthetic_sums::tokens synthetic_sums::tokens_of(std::string_view text) {
  tokens all;
  for (char const c : text) all.push_back(static_cast<std::uint8_t>(alphabet.find(c)));
  return all;
}

inline std::string synthetic_sums::text_of(tokens const& all) {
  std::string text;
  for (std::uint8_t const t : all) text += alphabet[t];
  return text;
}

}  // namespace examples
