// The environment variables of meshes and collectives.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "ashlar/config.hpp"
#include "ashlar/comm/collectives/algorithm.hpp"
#include "ashlar/comm/number.hpp"
#include "ashlar/meta/error.hpp"

namespace ashlar::comm_detail {

/// The value of a variable. There is none if the variable is not set, empty or malformed.
template <class T>
struct setting {
  std::optional<T> value = {};
  std::string wrong = {};  ///< a sentence about a malformed value; else empty
};

/// Reads a variable. `parse` turns a text into a std::optional. `expected` describes the valid texts.
/// Example: read_setting("ASHLAR_DEADLINE", "a number of seconds", number<double>)
template <class Parse>
auto read_setting(char const* name, char const* expected, Parse parse) {
  setting<typename std::invoke_result_t<Parse, std::string_view>::value_type> found;
  char const* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return found;
  found.value = parse(std::string_view(text));
  if (!found.value) found.wrong = std::string("ashlar: expected ") + name + " to be " + expected + ", found " + text;
  return found;
}

/// Seconds until a waiting rank gives up; 0: never.
ASHLAR_INLINE setting<double> deadline_setting();

/// Ranks per pretended node.
ASHLAR_INLINE setting<int> ranks_per_node_setting();

/// True if ranks of a node may read each other's memory.
ASHLAR_INLINE setting<bool> shared_memory_setting();

/// Bytes of address space for the memory that other ranks read; the largest std::size_t if the text says more.
ASHLAR_INLINE setting<std::size_t> segment_size_setting();

/// The algorithm for every message-based collective that it can serve.
ASHLAR_INLINE setting<comm::algorithm> algorithm_setting();

/// Says what is wrong with the first malformed variable that meshes read; nothing if all are right.
ASHLAR_INLINE std::optional<std::string> wrong_setting();

}  // namespace ashlar::comm_detail

#ifndef ASHLAR_INSTANTIATED
#include "ashlar/comm/compiled/settings.hpp"
#endif
