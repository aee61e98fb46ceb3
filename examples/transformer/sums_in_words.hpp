// A text to learn from: sums in words, "three plus four is seven. ", without end.
#pragma once
#include <ashlar/meta/philox.hpp>
#include <ashlar/io/idx.hpp>

#include <string>
#include <string_view>

namespace sums {

using ashlar::index_t;

inline constexpr std::string_view alphabet = " .efghilnoprstuvwxz";
inline constexpr char const* number_words[]{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight"};
inline constexpr index_t summands = 5;  // zero to four

inline std::string question(index_t a, index_t b) {
  return std::string(number_words[a]) + " plus " + number_words[b] + " is";
}
inline std::string answer(index_t a, index_t b) { return std::string(" ") + number_words[a + b] + "."; }

// Texts as tokens, which are positions in the alphabet, and back.
using tokens = std::vector<std::uint8_t>;
inline tokens tokens_of(std::string const& text) {
  tokens all;
  for (char const c : text) all.push_back(static_cast<std::uint8_t>(alphabet.find(c)));
  return all;
}
inline std::string text_of(tokens const& all) {
  std::string text;
  for (std::uint8_t const t : all) text += alphabet[t];
  return text;
}

/// Excerpts of the text, each of so many characters as numbers (positions in the alphabet), and the characters that
/// follow each of them. Shape: both (excerpts, characters). Post: a function of its arguments
struct excerpts {
  ashlar::idx_array characters, next;

  excerpts(ashlar::prng_key key, index_t count, index_t length) {
    std::string text;
    auto const size = static_cast<std::size_t>(count * length) + 1;
    for (index_t i = 0; text.size() < size; i += 2) {
      auto const summand = [&](index_t n) {
        return static_cast<index_t>(random_bits(key, n) % static_cast<std::uint64_t>(summands));
      };
      index_t const a = summand(i), b = summand(i + 1);
      text += question(a, b) + answer(a, b) + " ";
    }
    for (char& c : text) c = static_cast<char>(alphabet.find(c));
    characters = {{count, length}, {text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size) - 1}};
    next = {{count, length}, {text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(size)}};
  }
};

}  // namespace sums
