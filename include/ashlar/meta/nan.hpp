// SPDX-License-Identifier: BSL-1.0
// NaN and infinity, also if the compiler assumes that there are none.
#pragma once
#include "ashlar/config.hpp"
#include <limits>
#include <type_traits>

namespace ashlar::meta_detail {

/// True under -ffast-math and -ffinite-math-only. The compiler then leaves out `x != x`, and a comparison with NaN may be
/// true. Only the bits tell NaN.
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
inline constexpr bool finite_math = true;
#else
inline constexpr bool finite_math = false;
#endif

template <class T>
inline constexpr bool has_known_bits = std::is_same_v<T, float> || std::is_same_v<T, double>;

// The bits of a number as an integer that has its sign.
template <class T>
using bits_of = std::conditional_t<sizeof(T) == sizeof(std::int32_t), std::int32_t, std::int64_t>;
// All bits but the sign, and the bits of infinity. NaN has more. They are constants, because kernels may not call the functions
// of <limits>.
template <class T>
inline constexpr bits_of<T> bits_but_sign = (std::numeric_limits<bits_of<T>>::max)();
template <class T>
inline constexpr bits_of<T> infinite_bits = bits_but_sign<T> >> (std::numeric_limits<T>::digits - 1)
                                                                    << (std::numeric_limits<T>::digits - 1);
// Takes a reference, since clang may assume that no argument is NaN.
template <class T>
ASHLAR_FUNCTION constexpr bits_of<T> bits_without_sign(T const& x) {
  return __builtin_bit_cast(bits_of<T>, x) & bits_but_sign<T>;
}

/// True if x is NaN.
template <class T>
ASHLAR_FUNCTION constexpr bool is_nan(T const& x) {
  if constexpr (finite_math && has_known_bits<T>)
    return bits_without_sign(x) > infinite_bits<T>;
  else
    return x != x;
}

/// False if x is NaN or infinite.
template <class T>
  requires has_known_bits<T>
ASHLAR_FUNCTION constexpr bool is_finite(T const& x) {
  return bits_without_sign(x) < infinite_bits<T>;
}

}  // namespace ashlar::meta_detail
