// SPDX-License-Identifier: BSL-1.0
// Matrix operands of BLAS.
#pragma once
#include "ashlar/config.hpp"

namespace ashlar::kernels {

/// A row-major matrix with `leading` elements from one stored row to the next. If `transposed`, it means the transpose.
template <class T>
struct matrix {
  T const* data;
  index_t leading;
  bool transposed = false;
};

}  // namespace ashlar::kernels
