// SPDX-License-Identifier: BSL-1.0
// What the factorisations A = Q R give.
#pragma once

namespace ashlar::linalg {

/// The factors of A = Q R.
template <class Q, class R>
struct qr_factors {
  Q q;  ///< orthonormal columns
  R r;  ///< upper triangular, or trapezoidal
};

}  // namespace ashlar::linalg
