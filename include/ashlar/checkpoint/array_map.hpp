// SPDX-License-Identifier: BSL-1.0
// The arrays of a file that the leaves of a tree come from: their names and the order of their dimensions.
#pragma once
#include "ashlar/config.hpp"
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::io {

/// The array of a file for a leaf of a tree.
/// A '*' in `parameter` matches any characters. The n-th '*' in `array` becomes the characters that the n-th in
/// `parameter` matches. In the names of safetensors files each '/' of them becomes '.'.
/// Example: io::array_entry{"layers/*/up/kernel", "model.layers.*.mlp.up_proj.weight", {1, 0}}
struct array_entry {
  /// The leaf's path in the tree, such as "d1/kernel".
  std::string parameter;
  /// The name in the file, such as "fc1.weight".
  std::string array;
  /// Dimension d of the leaf is dimension transpose[d] of the array: leaf = numpy.transpose(array, transpose). Empty if
  /// the dimensions have the same order.
  std::vector<int> transpose = {};
  /// The extents of the array in the file, if the file shapes the elements in another way. The elements are
  /// the same, in the same order: array.reshape(...) in NumPy.
  std::vector<index_t> extents = {};
};

/// The arrays of a file for the leaves of a tree. The first entry that fits a leaf counts. A leaf that no entry fits
/// comes from the array of its own path: "d1/kernel" in HDF5, "d1.kernel" in safetensors files.
/// Example: array_map const from_torch{.arrays = {{"*/kernel", "*.weight", {1, 0}}}, .ignored = {"*.num_batches_tracked"}};
struct array_map {
  std::vector<array_entry> arrays = {};
  /// Names of arrays that a file may have although no leaf comes from them. A '*' matches any characters.
  std::vector<std::string> ignored = {};
};

}  // namespace ashlar::io

namespace ashlar::checkpoint_detail {

/// True if a text fits a pattern, in which each '*' matches any characters. Adds the characters to `runs`.
inline bool fits(std::string_view pattern, std::string_view text, std::vector<std::string>& runs) {
  std::size_t const fixed = pattern.find('*');
  if (fixed == pattern.npos) return text == pattern;
  if (!text.starts_with(pattern.substr(0, fixed))) return false;
  text.remove_prefix(fixed);
  pattern.remove_prefix(fixed + 1);
  for (std::size_t n = 0; n <= text.size(); ++n) {
    runs.emplace_back(text.substr(0, n));
    if (fits(pattern, text.substr(n), runs)) return true;
    runs.pop_back();
  }
  return false;
}
inline bool is_ignored(array_map const& map, std::string_view name) {
  for (std::string const& pattern : map.ignored)
    if (std::vector<std::string> runs; fits(pattern, name, runs)) return true;
  return false;
}

/// A text in which each '/' is '.': a path as safetensors files spell it.
inline std::string dotted(std::string text) {
  for (char& c : text)
    if (c == '/') c = '.';
  return text;
}

/// The entry for a leaf, whose `array` is the array's name without '*'.
inline array_entry entry_for(array_map const& map, std::string const& leaf, bool dots) {
  for (array_entry const& e : map.arrays) {
    std::vector<std::string> runs;
    if (!fits(e.parameter, leaf, runs)) continue;
    array_entry found = e;
    found.array.clear();
    std::size_t next = 0;
    for (char const c : e.array)
      if (c != '*')
        found.array += c;
      else if (next < runs.size())
        found.array += dots ? dotted(runs[next++]) : runs[next++];
      else
        found.array += c;
    return found;
  }
  return {leaf, dots ? dotted(leaf) : leaf};
}

}  // namespace ashlar::checkpoint_detail
