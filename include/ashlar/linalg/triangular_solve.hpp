// SPDX-License-Identifier: BSL-1.0
// Systems with a triangular matrix.
#pragma once
#include "ashlar/linalg/finite.hpp"
#include "ashlar/linalg/right_hand_side.hpp"

namespace ashlar::linalg_detail {

// Solves with the shards of a triangular matrix, in the memory of the right-hand sides.
struct solve_by_substitution {
  triangle which;
  form how;
  template <class A, class B>
  char const* operator()(A const& a, B const& b) const {
    if (!on_every_rank(a, has_finite_shard(a, which) && has_finite_shard(b))) return elements_are_not_finite;
    auto const da = linalg::scalapack_descriptor(a), db = linalg::scalapack_descriptor(b);
    host_shard const matrix(a);
    host_shard const sides(b);
    typename host_shard<A>::element const alpha = 1;
    // ScaLAPACK sees the transposes: from A X = B follows X^T A^T = B^T.
    if (db[2] > 0 && db[3] > 0)
      trsm("R", which == triangle::lower ? "U" : "L",
           how == form::plain       ? "N"
           : how == form::transpose ? "T"
                                    : "C",
           "N", &db[2], &db[3], &alpha, matrix.data(), &one, &one, da.data(), sides.data(), &one, &one, db.data());
    sides.finish();
    return nullptr;
  }
};

}  // namespace ashlar::linalg_detail

namespace ashlar::linalg {

/// Solves A X = B, A^T X = B or A^H X = B for a triangular matrix A, which is one triangle of `a`. The other is not read.
/// Shape: a (n, n); b (n) or (n, k); the result as b, in the layout of b.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one call of ScaLAPACK (pxtrsm), and redistributions to block_cyclic_t<layout of a> and back if `b` has another
///   layout. Nothing is transposed.
/// Error: ashlar::error on every rank for extents that do not fit, or if an element of the triangle or of b is not finite. A
///   zero on the diagonal gives infinities, as in BLAS.
/// Example: auto const y = linalg::triangular_solve(linalg::cholesky(a), b);  // L y = b
template <class A, class B>
[[nodiscard]] constexpr auto triangular_solve(A const& a, B const& b, triangle which = triangle::lower,
                                              form how = form::plain, call_site w = call_site::current()) {
  using namespace linalg_detail;
  return with_system(a, b, w, [&]<class M, class Y>(M const& given, Y const& y) {
    require_square(given.extents());
    require_rows(given.extents()[0], y.extents());
    using L = block_cyclic_t<layout_t<M>>;
    auto const matrix = redistribute<L>(given, w);
    auto const x = working_copy<L>(as_columns(y), w);
    call_solver("linalg::triangular_solve", w, solve_by_substitution{which, how}, matrix, x);
    return as_given<Y>(x, w);
  });
}

}  // namespace ashlar::linalg
