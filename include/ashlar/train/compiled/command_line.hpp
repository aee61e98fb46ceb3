// SPDX-License-Identifier: BSL-1.0
// The functions of train/command_line.hpp.
#pragma once
#include <algorithm>
#include "ashlar/comm/number.hpp"
#include "ashlar/train/command_line.hpp"

namespace ashlar {

ASHLAR_INLINE void refuse_option(std::string const& option, std::string const& found, std::string const& expected) {
  throw error("--" + option + ": expected " + expected + ", found '" + found + "'");
}

ASHLAR_INLINE index_t parse_whole(std::string const& option, std::string const& text, index_t least, index_t most,
                                  std::string expected) {
  if (expected.empty()) expected = "a whole number of " + std::to_string(least) + " or more";
  auto const n = comm_detail::number<index_t>(text);
  if (!n || *n < least || *n > most) refuse_option(option, text, expected);
  return *n;
}

ASHLAR_INLINE double parse_number(std::string const& option, std::string const& text, double below,
                                  std::string const& expected) {
  auto const x = comm_detail::number<double>(text);
  if (!x || !(*x >= 0 && *x < below)) refuse_option(option, text, expected);
  return *x;
}

ASHLAR_INLINE std::string join_words(std::vector<std::string> const& words, std::string const& between) {
  std::string text;
  for (std::string const& w : words) text += (text.empty() ? "" : between) + w;
  return text;
}

ASHLAR_INLINE int parse_choice(std::string const& option, std::string const& text,
                               std::vector<std::string> const& words) {
  auto const found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) refuse_option(option, text, join_words(words));
  return static_cast<int>(found - words.begin());
}

ASHLAR_INLINE std::vector<int> parse_mesh_sizes(std::string const& text, std::vector<std::string> const& axes,
                                                int ranks) {
  named_mesh const given = text.empty() ? named_mesh() : parse_named_mesh(text);
  std::vector<int> sizes(axes.size(), 0);
  int named = 1;
  for (std::size_t a = 0; a < given.name.size(); ++a) {
    auto const axis = std::find(axes.begin(), axes.end(), given.name[a]);
    if (axis == axes.end()) refuse_option("mesh", given.name[a], "the axis " + join_words(axes));
    sizes[static_cast<std::size_t>(axis - axes.begin())] = given.shape.size[a];
    named *= given.shape.size[a];
  }
  auto const omitted = std::find(sizes.begin(), sizes.end(), 0);
  if (omitted == sizes.end() ? named != ranks : ranks % named != 0)
    refuse_option("mesh", text,
                  std::string("sizes whose product ") + (omitted == sizes.end() ? "is " : "divides ") +
                      std::to_string(ranks) + ", the number of ranks");
  if (omitted != sizes.end()) *omitted = ranks / named;
  std::replace(sizes.begin(), sizes.end(), 0, 1);
  return sizes;
}

}  // namespace ashlar
