// SPDX-License-Identifier: BSL-1.0
// The functions of data/synthetic_sums.hpp.
#pragma once
#include <cstddef>
#include "ashlar/data/synthetic_sums.hpp"

namespace ashlar::data_detail {

inline constexpr char const* number_words[]{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight"};

}  // namespace ashlar::data_detail

namespace ashlar {

ASHLAR_INLINE synthetic_sums::synthetic_sums(prng_key key, index_t excerpts, index_t length) {
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

ASHLAR_INLINE std::string synthetic_sums::question(index_t a, index_t b) {
  return std::string(data_detail::number_words[a]) + " plus " + data_detail::number_words[b] + " is";
}

ASHLAR_INLINE std::string synthetic_sums::answer(index_t a, index_t b) {
  return std::string(" ") + data_detail::number_words[a + b] + ".";
}

ASHLAR_INLINE synthetic_sums::tokens synthetic_sums::tokens_of(std::string_view text) {
  tokens all;
  for (char const c : text) all.push_back(static_cast<std::uint8_t>(alphabet.find(c)));
  return all;
}

ASHLAR_INLINE std::string synthetic_sums::text_of(tokens const& all) {
  std::string text;
  for (std::uint8_t const t : all) text += alphabet[t];
  return text;
}

}  // namespace ashlar
