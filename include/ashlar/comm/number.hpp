// SPDX-License-Identifier: BSL-1.0
// Numbers from their texts.
#pragma once
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

namespace ashlar::comm_detail {

/// Reads digits, after a minus if T has a sign.
template <class T>
std::optional<T> read_integer(std::string_view text) {
  bool const negative = std::is_signed_v<T> && text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty()) return {};
  T value = 0;
  for (char const c : text) {
    if (c < '0' || c > '9') return {};
    T const digit = static_cast<T>(negative ? '0' - c : c - '0');
    if (__builtin_mul_overflow(value, T{10}, &value) || __builtin_add_overflow(value, digit, &value)) return {};
  }
  return value;
}

/// Reads a number by a stream, since std::strtod depends on the locale and libc++ has no std::from_chars for double
/// before version 20.
template <class T>
std::optional<T> read_real(std::string_view text) {
  bool const negative = text.starts_with('-');
  if (text.substr(negative) == "inf")
    return negative ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
  if (text.substr(negative) == "nan") return std::numeric_limits<T>::quiet_NaN();
  // Streams accept a plus and hexadecimal digits, too.
  if (text.empty() || text[0] == '+' || text.find_first_not_of("0123456789.eE+-") != text.npos) return {};
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  T value{};
  if (!(in >> value) || in.peek() != std::istringstream::traits_type::eof()) return {};
  return value;
}

/// Reads a whole text as a number, in the notation of C++ whatever the locale.
/// Example: number<int>("12") == 12; number<double>("1.5e-3") == 1.5e-3; !number<double>("0x1")
template <class T>
std::optional<T> number(std::string_view text) {
  if constexpr (std::is_integral_v<T>)
    return read_integer<T>(text);
  else
    return read_real<T>(text);
}

}  // namespace ashlar::comm_detail
