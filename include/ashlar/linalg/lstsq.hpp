// SPDX-License-Identifier: BSL-1.0
// Least squares.
#pragma once
#include "ashlar/linalg/finite.hpp"
#include "ashlar/linalg/right_hand_side.hpp"
#include "ashlar/linalg/workspace.hpp"

namespace ashlar::linalg_detail {

// Solves in the memory of the right-hand sides, of which ScaLAPACK sees the columns.
struct least_squares {
  template <class A, class B>
  char const* operator()(A const& a, B const& b) const {
    if (!are_finite(a, b)) return elements_are_not_finite;
    auto const d = linalg::scalapack_descriptor(a), db = linalg::scalapack_descriptor(b);
    host_shard const matrix(a);
    host_shard const sides(b);
    using T = typename host_shard<A>::element;
    int info = 0;
    if (d[2] == 0 || db[3] == 0) return nullptr;
    // ScaLAPACK sees A^T. Its least squares with the adjoint of that are of conj(A), conj(X) and conj(B).
    auto const solve = [&](T* work, int size) {
      gels(ops_detail::is_complex_v<T> ? "C" : "T", &d[2], &d[3], &db[3], matrix.data(), &one, &one, d.data(),
           sides.data(), &one, &one, db.data(), work, &size, &info, 1);
    };
    auto work = workspace_of<T>(a, elements_of_panels(a), solve);
    if (work.empty()) return workspace_is_too_large;
    run_in(work, solve);
    sides.finish();
    return nullptr;
  }
};

}  // namespace ashlar::linalg_detail

namespace ashlar::linalg {

/// The X for which the norm of A X - B is least, for a matrix of at least as many rows as columns.
/// Shape: a (m, n) with m >= n; b (m) or (m, k); the result (n) or (n, k), in the layout of b.
/// Pre: the columns of a are linearly independent.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one call of ScaLAPACK (pxgels). Right-hand sides and result are transposed, each in one redistribution.
/// Error: ashlar::error on every rank for extents that do not fit, or if an element is not finite. Also if a workspace has
///   more than 2^31 - 1 elements on one of them.
/// Example: auto const line = linalg::lstsq(a, b);
template <class A, class B>
[[nodiscard]] constexpr auto lstsq(A const& a, B const& b, call_site w = call_site::current()) {
  using namespace linalg_detail;
  return with_system(a, b, w, [&]<class X, class Y>(X const& x, Y const& y) {
    require_rows(x.extents()[0], y.extents());
    index_t const m = x.extents()[0], n = x.extents()[1];
    if (m < n)
      plan_detail::fail_extents("ashlar::linalg::lstsq: the matrix has at least as many rows as columns", x.extents(),
                                y.extents());
    using L = block_cyclic_t<layout_t<X>>;
    auto const matrix = working_copy<L>(x, w);
    auto const columns = as_columns(y);
    auto const sides =
        working_copy<L>(plan_detail::evaluated(conj(ashlar::transpose<1, 0>(columns, to_layout<L>, w))), w);
    call_solver("linalg::lstsq", w, least_squares{}, matrix, sides);
    auto const rows = plan_detail::evaluated(conj(corner_of(sides, sides.extents()[0], n)));
    return as_given<Y>(ashlar::transpose<1, 0>(rows, to_layout<reduced_t<layout_t<decltype(columns)>>>, w), w);
  });
}

}  // namespace ashlar::linalg
