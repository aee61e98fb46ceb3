// Values of command-line options, from their texts.
#pragma once
#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <vector>

#include "ashlar/config.hpp"
#include "ashlar/meta/error.hpp"

namespace ashlar {

/// Throws ashlar::error: the option expected one value and found another.
/// Example: refuse_option("log", "", "the name of a file")
[[noreturn]] inline void refuse_option(std::string const& option, std::string const& found,
                                       std::string const& expected) {
  throw error("--" + option + ": expected " + expected + ", found '" + found + "'");
}

/// The whole number, from `least` to `most`, that an option's text is.
/// Error: ashlar::error if the text is another; `expected` replaces its words.
/// Example: parse_whole("batch", "128") == 128
inline index_t parse_whole(std::string const& option, std::string const& text, index_t least = 1,
                           index_t most = std::numeric_limits<index_t>::max(), std::string expected = "") {
  if (expected.empty()) expected = "a whole number of " + std::to_string(least) + " or more";
  index_t n = 0;
  char const* const last = text.data() + text.size();
  auto const [end, status] = std::from_chars(text.data(), last, n);
  if (status != std::errc{} || end != last || n < least || n > most) refuse_option(option, text, expected);
  return n;
}

/// The number of at least 0 and less than `below` that an option's text is.
/// Error: as parse_whole.
/// Example: parse_number("dropout", "0.4", 1, "a number of at least 0 and less than 1") == 0.4
inline double parse_number(std::string const& option, std::string const& text, double below,
                           std::string const& expected) {
  double x = 0;
  char const* const last = text.data() + text.size();
  auto const [end, status] = std::from_chars(text.data(), last, x);
  if (status != std::errc{} || end != last || !(x >= 0 && x < below)) refuse_option(option, text, expected);
  return x;
}

/// The words in one line, such as "float or double".
inline std::string join_words(std::vector<std::string> const& words, std::string const& between = " or ") {
  std::string text;
  for (std::string const& w : words) text += (text.empty() ? "" : between) + w;
  return text;
}

/// The position of an option's text in a list of words.
/// Error: as parse_whole, with all words.
/// Example: parse_choice("precision", "double", {"float", "double"}) == 1
inline int parse_choice(std::string const& option, std::string const& text, std::vector<std::string> const& words) {
  auto const found = std::find(words.begin(), words.end(), text);
  if (found == words.end()) refuse_option(option, text, join_words(words));
  return static_cast<int>(found - words.begin());
}

/// The sizes of a mesh's axes from a text such as "data=2,model=4". An axis that the text omits has size 1.
/// Error: as parse_whole, if the text names another axis, an axis twice, or a size below 1.
/// Example: parse_mesh_sizes("model=4", {"data", "model"}) == std::vector{1, 4}
inline std::vector<int> parse_mesh_sizes(std::string const& text, std::vector<std::string> const& axes) {
  std::vector<std::string> forms;
  for (std::string const& a : axes) forms.push_back(a + "=" + static_cast<char>(a[0] - 'a' + 'A'));
  std::string const expected = join_words(forms, ",") + (axes.size() > 1 ? " with sizes of 1 or more, each once"
                                                                         : ", the only axis, with a size of 1 or more");
  std::vector<int> sizes(axes.size(), 0);
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t const end = std::min(text.find(',', begin), text.size()), equals = std::min(text.find('=', begin), end);
    auto const axis = std::find(axes.begin(), axes.end(), text.substr(begin, equals - begin));
    if (axis == axes.end() || equals == end) refuse_option("mesh", text, expected);
    int& size = sizes[static_cast<std::size_t>(axis - axes.begin())];
    if (size > 0) refuse_option("mesh", text, expected);
    size = static_cast<int>(
        parse_whole("mesh", text.substr(equals + 1, end - equals - 1), 1, std::numeric_limits<int>::max(), expected));
    begin = end + 1;
  }
  std::replace(sizes.begin(), sizes.end(), 0, 1);
  return sizes;
}

}  // namespace ashlar
