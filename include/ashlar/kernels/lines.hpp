// SPDX-License-Identifier: BSL-1.0
// An array as lines along one of its dimensions.
#pragma once
#include "ashlar/layout/shape.hpp"

namespace ashlar::kernels_detail {

/// The lines of a row-major array [outer][n][inner].
struct lines_of {
  index_t outer = 1, n, inner;
  constexpr lines_of(shape const& s, int dim) : n(s[dim]), inner(s.stride(dim)) {
    for (int d = 0; d < dim; ++d) outer *= s[d];
  }
  constexpr index_t count() const { return outer * inner; }
  /// The place of the first element of a line. The others follow at distances of `inner`.
  constexpr index_t begin(index_t line) const { return line / inner * n * inner + line % inner; }
  /// As many lines of another extent.
  constexpr lines_of with_extent(index_t extent) const {
    lines_of other = *this;
    other.n = extent;
    return other;
  }
};

}  // namespace ashlar::kernels_detail
