// SPDX-License-Identifier: BSL-1.0
// Extents of an array of run-time rank, and the index of an element, as small values.
#pragma once
#include "ashlar/config.hpp"

namespace ashlar {

namespace layout_detail {
/// The largest number of dimensions of a tensor: 8.
inline constexpr int max_rank = 8;
}  // namespace layout_detail

/// Extents of a row-major array of rank 0 to 8.
/// Post: entries from `rank` on are 0, so that equality is memberwise.
struct shape {
  int rank = 0;
  index_t extent[layout_detail::max_rank]{};

  constexpr shape() = default;
  template <class... I>
  ASHLAR_FUNCTION static constexpr shape of(I... n) {
    static_assert(sizeof...(I) <= layout_detail::max_rank, "ashlar::shape: a tensor has at most 8 dimensions");
    shape s;
    ((s.extent[s.rank++] = static_cast<index_t>(n)), ...);
    return s;
  }
  ASHLAR_FUNCTION constexpr index_t operator[](int d) const { return extent[d]; }
  ASHLAR_FUNCTION constexpr index_t& operator[](int d) { return extent[d]; }

  /// Number of elements; 1 for rank 0.
  ASHLAR_FUNCTION constexpr index_t size() const {
    index_t n = 1;
    for (int d = 0; d < rank; ++d) n *= extent[d];
    return n;
  }
  /// Distance between neighbours along dimension d, in elements.
  ASHLAR_FUNCTION constexpr index_t stride(int d) const {
    index_t n = 1;
    for (int e = d + 1; e < rank; ++e) n *= extent[e];
    return n;
  }
  friend constexpr bool operator==(shape const&, shape const&) = default;
};

/// The global index of a cell or an element, for functions that take it as their first argument.
template <int Rank>
struct cell_index {
  index_t of[meta_detail::array_bound(Rank)]{};
  ASHLAR_FUNCTION constexpr index_t operator[](int d) const { return of[d]; }
};

}  // namespace ashlar
