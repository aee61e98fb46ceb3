// The environment variables of meshes and collectives.
#pragma once
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "ashlar/comm/collectives/algorithm.hpp"
#include "ashlar/comm/number.hpp"
#include "ashlar/meta/error.hpp"

namespace ashlar::comm {

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
inline setting<double> deadline_setting() {
  return read_setting("ASHLAR_DEADLINE", "a number of seconds, as in 60 or 2.5, or 0 for none",
                      [](std::string_view text) {
                        auto const n = number<double>(text);
                        return n && *n >= 0 && *n <= std::numeric_limits<double>::max() ? n : std::nullopt;
                      });
}

/// Ranks per pretended node.
inline setting<int> ranks_per_node_setting() {
  return read_setting("ASHLAR_RANKS_PER_NODE", "a number of ranks, as in 2", [](std::string_view text) {
    auto const n = number<int>(text);
    return n && *n > 0 ? n : std::nullopt;
  });
}

/// True if ranks of a node may read each other's memory.
inline setting<bool> shared_memory_setting() {
  return read_setting("ASHLAR_TRANSPORT", "mpi, or any for what is best", [](std::string_view text) {
    return text == "mpi" || text == "any" ? std::optional(text == "any") : std::nullopt;
  });
}

/// Bytes of address space for the memory that other ranks read; the largest std::size_t if the text says more.
inline setting<std::size_t> segment_size_setting() {
  return read_setting("ASHLAR_SHARED_MEMORY", "a size, as in 2G, 512M or 0",
                      [](std::string_view text) -> std::optional<std::size_t> {
                        constexpr std::string_view units = "kKmMgG";
                        constexpr auto most = std::numeric_limits<std::size_t>::max();
                        auto const unit = units.find(text.back());
                        int const shift = unit == units.npos ? 0 : 10 * static_cast<int>(unit / 2 + 1);
                        std::size_t n = 0;
                        char const *const begin = text.data(), *const end = begin + text.size() - (shift > 0);
                        auto const [rest, status] = std::from_chars(begin, end, n);
                        if (rest != end || status == std::errc::invalid_argument) return {};
                        return status == std::errc::result_out_of_range || n > most >> shift ? most : n << shift;
                      });
}

/// The algorithm for every message-based collective that it can serve.
inline setting<algorithm> algorithm_setting() {
  return read_setting("ASHLAR_ALGORITHM",
                      "a way of comm::algorithm, as in mpi, persistent, exchange or exchange_in_parts",
                      [](std::string_view text) -> std::optional<algorithm> {
                        for (int i = 0; i < algorithms; ++i)
                          if (text == to_text(static_cast<algorithm>(i))) return static_cast<algorithm>(i);
                        // The names of version 0.1 for MPI's own collectives.
                        if (text == "collective") return algorithm::mpi;
                        if (text == "collective_in_place") return algorithm::mpi_in_place;
                        if (text == "collective_with_counts") return algorithm::mpi_with_counts;
                        return {};
                      });
}

/// Says what is wrong with the first malformed variable that meshes read; nothing if all are right.
inline std::optional<std::string> wrong_setting() {
  for (std::string const& wrong :
       {deadline_setting().wrong, ranks_per_node_setting().wrong, shared_memory_setting().wrong,
        segment_size_setting().wrong, algorithm_setting().wrong})
    if (!wrong.empty()) return wrong;
  return {};
}

}  // namespace ashlar::comm
