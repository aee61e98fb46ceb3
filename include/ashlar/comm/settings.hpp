// SPDX-License-Identifier: BSL-1.0
// The environment variables that programs read, as docs/how_to/settings.md lists them, and functions that read the variables of meshes
// and collectives.
//
// | variable | values | effect | if unset |
// |---|---|---|---|
// | `ASHLAR_TRANSPORT` | `mpi`, `any` | `mpi`: ranks of a node exchange messages | they read each other's memory |
// | `ASHLAR_ALGORITHM` | `mpi`, `persistent`, `exchange`, `exchange_in_parts`, `exchange_by_types`, `mpi_in_place`, `mpi_with_counts` | [the algorithm](../decisions/algorithms.md) of every collective by messages that has it | the fastest one measured |
// | `ASHLAR_SHARED_MEMORY` | a size: `2G`, `512M`, `0` | address space per rank for tensors that other ranks of the node read; `0`: none | half of the memory |
// | `ASHLAR_RANKS_PER_NODE` | a number of ranks | pretends nodes of this size | the real nodes |
// | `ASHLAR_DEADLINE` | seconds: `60`, `2.5`; `0`: never | a collective that waits longer for another rank fails | it waits, unless the other rank calls something else or has ended |
// | `ASHLAR_WATCHDOG` | seconds: `60`, `60,abort` | a rank that is longer in one collective reports its last 64 collectives; `abort` also ends the run | no report |
// | `ASHLAR_GPU_AWARE` | `0`, `1` | MPI takes pointers into a device's memory, or does not; see [GPUs](gpus.md) | the answer of the MPI library |
// | `ASHLAR_DATA` | a folder | MNIST's IDX files for the examples that train, and for tests | synthetic digits |
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

#if ASHLAR_IMPL
#include "ashlar/comm/impl/settings.ipp"
#endif
