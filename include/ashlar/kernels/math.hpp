// SPDX-License-Identifier: BSL-1.0
// The mathematical functions of kernels.
#pragma once
#include "ashlar/ops/complex.hpp"
#include "ashlar/ops/functions.hpp"
#include <Kokkos_Core.hpp>

// Definitions of what the included headers declare.
namespace ashlar::ops_detail {

template <class T>
KOKKOS_FUNCTION T math_exp(T x) {
  return Kokkos::exp(x);
}
template <class T>
KOKKOS_FUNCTION T math_log(T x) {
  return Kokkos::log(x);
}
template <class T>
KOKKOS_FUNCTION T math_sqrt(T x) {
  return Kokkos::sqrt(x);
}
template <class T>
KOKKOS_FUNCTION T math_tanh(T x) {
  return Kokkos::tanh(x);
}
template <class T>
KOKKOS_FUNCTION T math_erf(T x) {
  return Kokkos::erf(x);
}
template <class T>
KOKKOS_FUNCTION T math_log1p(T x) {
  return Kokkos::log1p(x);
}
template <class T>
KOKKOS_FUNCTION T math_sin(T x) {
  return Kokkos::sin(x);
}
template <class T>
KOKKOS_FUNCTION T math_cos(T x) {
  return Kokkos::cos(x);
}
template <class T>
KOKKOS_FUNCTION T math_floor(T x) {
  return Kokkos::floor(x);
}
template <class T>
KOKKOS_FUNCTION T math_pow(T x, T y) {
  if constexpr (std::is_integral_v<T>) {  // exact, where a power of doubles has 53 bits; modulo 2^64, as a product is
    auto factor = static_cast<unsigned long long>(x), result = 1ull;
    for (; y > 0; y = static_cast<T>(y >> 1)) {
      if (y & 1) result *= factor;
      factor *= factor;
    }
    return static_cast<T>(result);
  } else {
    return Kokkos::pow(x, y);
  }
}
template <class T>
KOKKOS_FUNCTION T math_atan2(T y, T x) {
  return Kokkos::atan2(y, x);
}
template <class T>
KOKKOS_FUNCTION T math_hypot(T x, T y) {
  return Kokkos::hypot(x, y);
}

}  // namespace ashlar::ops_detail
