// SPDX-License-Identifier: BSL-1.0
// Values of command-line options, from their texts.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "ashlar/config.hpp"
#include "ashlar/meta/error.hpp"
#include "ashlar/plan/parse.hpp"

namespace ashlar {

/// Throws ashlar::error: the option expected one value and found another.
/// Example: refuse_option("log", "", "the name of a file")
[[noreturn]] ASHLAR_INLINE void refuse_option(std::string const& option, std::string const& found,
                                              std::string const& expected);

/// The whole number, from `least` to `most`, that an option's text is.
/// Error: ashlar::error if the text is another; `expected` replaces its words.
/// Example: parse_whole("batch", "128") == 128
ASHLAR_INLINE index_t parse_whole(std::string const& option, std::string const& text, index_t least = 1,
                                  index_t most = (std::numeric_limits<index_t>::max)(), std::string expected = "");

/// The number of at least 0 and less than `below` that an option's text is.
/// Error: as parse_whole.
/// Example: parse_number("dropout", "0.4", 1, "a number of at least 0 and less than 1") == 0.4
ASHLAR_INLINE double parse_number(std::string const& option, std::string const& text, double below,
                                  std::string const& expected);

/// The words in one line, such as "float or double".
/// Example: join_words({"float", "double"}) == "float or double"
ASHLAR_INLINE std::string join_words(std::vector<std::string> const& words, std::string const& between = " or ");

/// The position of an option's text in a list of words.
/// Error: as parse_whole, with all words.
/// Example: parse_choice("precision", "double", {"float", "double"}) == 1
ASHLAR_INLINE int parse_choice(std::string const& option, std::string const& text,
                               std::vector<std::string> const& words);

/// The sizes of a mesh's axes on `ranks` ranks, from a text such as "data=2,model=4". The first axis without a size has
/// the remaining ranks. Any other has size 1. An empty text gives no sizes.
/// Error: ashlar::error if the text has another form or names another axis, or if the product of the sizes is not
/// `ranks`.
/// Example: parse_mesh_sizes("model=4", {"data", "model"}, 8) == std::vector{2, 4}
ASHLAR_INLINE std::vector<int> parse_mesh_sizes(std::string const& text, std::vector<std::string> const& axes,
                                                int ranks);

}  // namespace ashlar

#ifndef ASHLAR_INSTANTIATED
#include "ashlar/train/compiled/command_line.hpp"
#endif
