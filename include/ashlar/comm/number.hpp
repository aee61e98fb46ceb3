// Numbers from their texts.
#pragma once
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#ifndef __cpp_lib_to_chars  // libc++ before version 20 reads no floating-point numbers by from_chars
#include <locale>
#include <sstream>
#include <string>
#endif

namespace ashlar::comm_detail {

/// Reads a whole text as a number, in the notation of C++ whatever the locale.
/// Example: number<int>("12") == 12; number<double>("1.5e-3") == 1.5e-3; !number<double>("0x1")
template <class T>
std::optional<T> number(std::string_view text) {
  T n{};
#ifndef __cpp_lib_to_chars
  if constexpr (std::is_floating_point_v<T>) {
    if (text == "inf" || text == "-inf")
      return text[0] == '-' ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
    // Streams accept a plus and hexadecimal digits, and from_chars does not.
    if (text.empty() || text[0] == '+' || text.find_first_not_of("0123456789.eE+-") != text.npos) return {};
    std::istringstream in{std::string(text)};
    in.imbue(std::locale::classic());
    if (!(in >> n) || in.peek() != std::istringstream::traits_type::eof()) return {};
    return n;
  } else
#endif
  {
    auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (status != std::errc{} || end != text.data() + text.size()) return {};
    return n;
  }
}

}  // namespace ashlar::comm_detail
