// SPDX-License-Identifier: BSL-1.0
// The Cholesky factorisation of a positive definite matrix.
#pragma once
#include "ashlar/linalg/finite.hpp"

namespace ashlar::linalg_detail {

// True if the elements of this rank on the diagonal are positive. BLAS may take the root of NaN, which an overflow makes.
template <class X, class T>
bool has_positive_diagonal(X const& x, T const* shard) {
  region const r = x.local_region();
  for (index_t i = 0; i < r.dim[0].size(); ++i)
    if (index_t const j = r.dim[1].find(r.dim[0][i]); j >= 0) {
      auto const d = std::real(shard[i * r.dim[1].size() + j]);
      if (!meta_detail::is_finite(d) || d <= 0) return false;
    }
  return true;
}

// Factors the shards of x in place. ScaLAPACK reads and writes one triangle, and the other one holds zeros.
struct cholesky_of {
  template <class X>
  char const* operator()(X const& x) const {
    if (!are_finite(x)) return elements_are_not_finite;
    auto const d = linalg::scalapack_descriptor(x);
    host_shard const shard(x);
    int info = 0;
    // ScaLAPACK sees the transpose conj(L) L^T, whose upper factor is L^T.
    if (d[2] > 0) potrf("U", &d[2], shard.data(), &one, &one, d.data(), &info, 1);
    shard.finish();
    return info == 0 && has_positive_diagonal(x, shard.data())
               ? nullptr
               : "ashlar::linalg::cholesky: the matrix is not positive definite; give a symmetric or Hermitian "
                 "one whose eigenvalues are positive";
  }
};

}  // namespace ashlar::linalg_detail

namespace ashlar::linalg {

/// The lower triangular matrix L for which L L^H is `a`. Only the lower triangle of `a` is read.
/// Shape: as a, in the layout block_cyclic_t<layout of a>; elements above the diagonal are 0.
/// Pre: a is symmetric, or Hermitian if it is complex, and positive definite.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one call of ScaLAPACK (pxpotrf), and a redistribution if `a` has another layout.
/// Error: ashlar::error on every rank if `a` is not square or not positive definite, or if an element of the
///   lower triangle is not finite.
/// Example: auto const l = linalg::cholesky(a);  // a of layout<cyclic("p", 64), cyclic("q", 64)>
template <class X>
[[nodiscard]] constexpr auto cholesky(X const& a, call_site w = call_site::current()) {
  return linalg_detail::with_matrix(a, w, [&]<class A>(A const& matrix) {
    linalg_detail::require_square(matrix.extents());
    auto l = linalg_detail::working_triangle<block_cyclic_t<layout_t<A>>>(matrix, triangle::lower, w);
    linalg_detail::call_solver("linalg::cholesky", w, linalg_detail::cholesky_of{}, l);
    return l;
  });
}

}  // namespace ashlar::linalg
