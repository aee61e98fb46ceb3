// SPDX-License-Identifier: BSL-1.0
// The sizes of workspaces, which routines ask for by numbers.
#pragma once
#include "ashlar/layout/shape.hpp"
#include <climits>
#include <complex>
#include <limits>
#include <optional>

namespace ashlar::linalg_detail {

/// The elements of the workspace that a routine asks for by a number of the matrix's type, and `more`; at least 1. A float
/// that may be rounded down is rounded up.
/// Post: empty if a 32-bit integer cannot hold the size. A number below 0 is such a size, because the routine itself has
///   counted in 32 bits.
template <class T>
constexpr std::optional<int> workspace_size(T asked, index_t more = 0) {
  auto const n = std::real(asked);
  constexpr auto rounding = std::numeric_limits<std::remove_const_t<decltype(n)>>::epsilon();
  if (!(n >= 0 && static_cast<double>(n) <= INT_MAX)) return {};  // also if it is not a number
  index_t size = static_cast<index_t>(n);
  if (n >= 2 / rounding) size += static_cast<index_t>(n * rounding) + 1;  // not every integer is such a float
  size = (size < INT_MAX ? size : INT_MAX) + more;                        // the routine has counted in 32 bits
  if (size > INT_MAX) return {};
  return size > 1 ? static_cast<int>(size) : 1;
}

}  // namespace ashlar::linalg_detail
