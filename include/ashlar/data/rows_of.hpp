// SPDX-License-Identifier: BSL-1.0
// The elements of some examples of an array in memory.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "ashlar/comm/buffer.hpp"
#include "ashlar/io/idx.hpp"
#include "ashlar/meta/error.hpp"

namespace ashlar::datasets {

/// The elements of some examples of an array, one example after the other, each byte divided by `divisor`. A rank that
/// reads the examples of its shard passes them to pack().
/// Collective: no.
/// Error: ashlar::error if the array has no such example, or if there is no memory for the elements (with their bytes).
/// Example: pack<layout<"data", none, none>>(m, {n, 28, 28}, datasets::rows_of<float>(images, mine, 255))
template <class T>
std::vector<T> rows_of(io::idx_array const& from, std::span<index_t const> examples, T divisor = 1) {
  index_t const count = from.extents[0];
  auto const size = count == 0 ? 0 : static_cast<index_t>(from.bytes.size()) / count;
  std::vector<T> elements;
  std::size_t const all = static_cast<std::size_t>(size) * examples.size();
  comm_detail::make_room<T>(all, [&] { elements.reserve(all); });
  for (index_t const example : examples) {
    if (example < 0 || example >= count)
      throw error("ashlar::datasets::rows_of: the array has " + std::to_string(count) +
                  " examples, and none of number " + std::to_string(example));
    for (index_t i = 0; i < size; ++i)
      elements.push_back(static_cast<T>(from.bytes[static_cast<std::size_t>(example * size + i)]) / divisor);
  }
  return elements;
}

}  // namespace ashlar::datasets
