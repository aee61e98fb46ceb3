// Values of command-line options, from their texts.
#pragma once
#include <ashlar/meta/error.hpp>
#include <ashlar/plan/parse.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace examples {

using namespace ashlar;

/// The number that a whole text is, in the notation of C++ whatever the locale.
template <class T>
std::optional<T> number(std::string const& text) {
  if (text.find_first_not_of("0123456789.eE-") != text.npos) return {};
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  T value{};
  if (!(in >> value) || in.peek() != std::istringstream::traits_type::eof()) return {};
  return value;
}

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
                           index_t most = (std::numeric_limits<index_t>::max)(), std::string expected = "") {
  if (expected.empty()) expected = "a whole number of " + std::to_string(least) + " or more";
  auto const n = number<index_t>(text);
  if (!n || *n < least || *n > most) refuse_option(option, text, expected);
  return *n;
}

/// The number of at least 0 and less than `below` that an option's text is.
/// Error: as parse_whole.
/// Example: parse_number("dropout", "0.4", 1, "a number of at least 0 and less than 1") == 0.4
inline double parse_number(std::string const& option, std::string const& text, double below,
                           std::string const& expected) {
  auto const x = number<double>(text);
  if (!x || !(*x >= 0 && *x < below)) refuse_option(option, text, expected);
  return *x;
}

/// The words in one line, such as "float or double".
/// Example: join_words({"float", "double"}) == "float or double"
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

/// The sizes of a mesh's axes on `ranks` ranks, from a text such as "data=2,model=4". The first axis without a size has
/// the remaining ranks. Any other has size 1. An empty text gives no sizes.
/// Error: ashlar::error if the text has another form or names another axis, or if the product of the sizes is not
/// `ranks`.
/// Example: parse_mesh_sizes("model=4", {"data", "model"}, 8) == std::vector{2, 4}
inline std::vector<int> parse_mesh_sizes(std::string const& text, std::vector<std::string> const& axes, int ranks) {
  using namespace planning;
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

}  // namespace examples
