// SPDX-License-Identifier: BSL-1.0
// An argument that all ranks give alike.
#pragma once
#include <cstdint>
#include <type_traits>

namespace ashlar::plan_detail {

/// An argument of a call, such as the key of random numbers, as ranks compare it and as errors show it.
struct common_argument {
  char const* name = nullptr;  // null: the type of the argument has no comparison
  bool is_integer = false;
  std::uint64_t bits = 0;
};

template <class T>
constexpr common_argument argument(char const* name, T const& value) {
  if constexpr (std::is_floating_point_v<T>)
    return {name, false, __builtin_bit_cast(std::uint64_t, static_cast<double>(value))};
  else if constexpr (std::is_integral_v<T>)
    return {name, true, static_cast<std::uint64_t>(value)};
  else if constexpr (requires { std::uint64_t{value.value}; })  // a prng_key
    return {name, true, value.value};
  else
    return {};
}

}  // namespace ashlar::plan_detail
