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
};

}  // namespace ashlar::kernels_detail
