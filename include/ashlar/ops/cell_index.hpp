// SPDX-License-Identifier: BSL-1.0
// The global index of an element.
#pragma once
#include "ashlar/layout/shape.hpp"

namespace ashlar {

/// The global index of a cell or an element, for functions that take it as their first argument.
template <int Rank>
struct cell_index {
  index_t of[meta_detail::array_bound(Rank)]{};
  ASHLAR_FUNCTION constexpr index_t operator[](int d) const { return of[d]; }
};

}  // namespace ashlar
