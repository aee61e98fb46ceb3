// Matrix operands of BLAS.
#pragma once
#include "ashlar/config.hpp"

namespace ashlar::kernels {

/// A row-major matrix: `leading` elements from one stored row to the next, read as its transpose by flag.
template <class T>
struct matrix {
  T const* data;
  index_t leading;
  bool transposed = false;
};

}  // namespace ashlar::kernels
