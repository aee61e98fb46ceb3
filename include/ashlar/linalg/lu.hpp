// SPDX-License-Identifier: BSL-1.0
// Systems with a general square matrix, by factors that are kept.
#pragma once
#include "ashlar/linalg/finite.hpp"
#include "ashlar/linalg/right_hand_side.hpp"
#include <vector>

namespace ashlar::linalg_detail {

// The row exchanges of a factorisation. A dry run has none.
template <class X>
struct exchanges_of {};
template <class X>
  requires on_real_ranks<X>
struct exchanges_of<X> {
  std::vector<int> with;
};

// Factors the shards of x in place. ScaLAPACK sees the transpose.
template <class X>
struct lu_of {
  exchanges_of<X>& exchanges;
  char const* operator()(X const& x) const {
    if (!are_finite(x)) return elements_are_not_finite;
    auto const d = linalg::scalapack_descriptor(x);
    host_shard const shard(x);
    exchanges.with.resize(static_cast<std::size_t>(x.local_extents()[1] + d[4]));
    int info = 0;
    if (d[2] > 0) getrf(&d[2], &d[2], shard.data(), &one, &one, d.data(), exchanges.with.data(), &info);
    shard.finish();
    return info == 0 ? nullptr
                     : "ashlar::linalg::lu: the matrix is singular; give one of full rank, or use linalg::lstsq";
  }
};

// The factors of a wrong operand, so that its sentence is the only error.
struct no_factors {
  constexpr auto solve(auto const& b, auto const&...) const { return b; }
};

// Solves in the memory of the right-hand sides, of which ScaLAPACK sees the columns.
template <class X>
struct solve_by_factors {
  exchanges_of<X> const& exchanges;
  char const* trans;
  template <class B>
  char const* operator()(X const& lu, B const& b) const {
    if (!are_finite(b)) return elements_are_not_finite;
    auto const d = linalg::scalapack_descriptor(lu), db = linalg::scalapack_descriptor(b);
    host_shard const matrix(lu);
    host_shard const sides(b);
    int info = 0;
    if (d[2] > 0 && db[3] > 0)
      getrs(trans, &d[2], &db[3], matrix.data(), &one, &one, d.data(), exchanges.with.data(), sides.data(), &one, &one,
            db.data(), &info, 1);
    sides.finish();
    return nullptr;
  }
};

}  // namespace ashlar::linalg_detail

namespace ashlar::linalg {

/// The factors of a square matrix, which solve systems with it. Copies share the matrix. `lu` makes them.
template <class Tensor>
class lu_factors {
 public:
  constexpr lu_factors(Tensor const& a, call_site const& w) : lu_(a) {
    linalg_detail::call_solver("linalg::lu", w, linalg_detail::lu_of<Tensor>{exchanges_}, lu_);
  }

  /// Solves A X = B, A^T X = B or A^H X = B for the matrix A of the factors.
  /// Shape: b (n) or (n, k); the result as b, in the layout of b.
  /// Collective: every rank of the mesh calls it; it blocks.
  /// Cost: one call of ScaLAPACK (pxgetrs). It solves from the left only, so the right-hand side and the result are
  ///   transposed, each in one redistribution.
  /// Error: ashlar::error on every rank for extents that do not fit, or if an element is not finite.
  template <class B>
  [[nodiscard]] constexpr auto solve(B const& b, form how = form::plain, call_site w = call_site::current()) const {
    using namespace linalg_detail;
    return with_system(lu_, b, w, [&]<class X, class Y>(X const& factors, Y const& y) {
      require_rows(factors.extents()[0], y.extents());
      using L = layout_t<X>;
      auto const columns = as_columns(y);
      auto const rows = ashlar::transpose<1, 0>(columns, to_layout<L>, w);
      // The matrix that ScaLAPACK sees is A^T. With its conjugate it solves conj(A^T) conj(X) = conj(B).
      auto const x = working_copy<L>(how == form::adjoint ? plan_detail::evaluated(conj(rows)) : rows, w);
      call_solver("linalg::lu_factors::solve", w, solve_by_factors<X>{exchanges_, how == form::plain ? "T" : "N"},
                  factors, x);
      auto const back = ashlar::transpose<1, 0>(how == form::adjoint ? plan_detail::evaluated(conj(x)) : x,
                                                to_layout<reduced_t<layout_t<decltype(columns)>>>, w);
      return as_given<Y>(back, w);
    });
  }

 private:
  Tensor lu_;
  linalg_detail::exchanges_of<Tensor> exchanges_;
};

/// Factors a square matrix, for systems with it.
/// Pre: the matrix is not singular.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one call of ScaLAPACK (pxgetrf), and a redistribution if `a` has another layout than block_cyclic_t of it.
/// Error: ashlar::error on every rank if `a` is not square, if a factor has a zero on its diagonal, or if an element is
///   not finite.
/// Example: auto const f = linalg::lu(a); auto const x = f.solve(b);
template <class A>
[[nodiscard]] constexpr auto lu(A const& a, call_site w = call_site::current()) {
  auto const work = [&]<class X>(X const& x) {
    linalg_detail::require_square(x.extents());
    auto own = linalg_detail::working_copy<block_cyclic_t<layout_t<X>>>(x, w);
    return lu_factors<decltype(own)>(own, w);
  };
  return linalg_detail::with_matrix(a, w, work, [](auto const&) { return linalg_detail::no_factors{}; });
}

/// Solves A X = B for a square matrix. To solve with the same matrix again, keep `lu(a)`.
/// Shape, Cost and Error: as for lu and its solve.
/// Collective: every rank of the mesh calls it; it blocks.
/// Example: auto const x = linalg::solve(a, b);
template <class A, class B>
[[nodiscard]] constexpr auto solve(A const& a, B const& b, call_site w = call_site::current()) {
  return linalg_detail::with_system(a, b, w, [&](auto const& x, auto const& y) {
    linalg_detail::require_rows(x.extents()[0], y.extents());
    return lu(x, w).solve(y, form::plain, w);
  });
}

}  // namespace ashlar::linalg
