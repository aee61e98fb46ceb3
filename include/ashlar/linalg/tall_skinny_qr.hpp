// SPDX-License-Identifier: BSL-1.0
// QR factors of a matrix of many rows and few columns, by one collective.
#pragma once
#include "ashlar/kernels/products/blas.hpp"
#include "ashlar/layout/halo_cells.hpp"
#include "ashlar/layout/split.hpp"
#include "ashlar/linalg/finite.hpp"
#include "ashlar/linalg/qr_factors.hpp"
#include "ashlar/linalg/right_hand_side.hpp"
#include "ashlar/linalg/scalapack.hpp"
#include "ashlar/linalg/workspace_size.hpp"
#include <algorithm>
#include <complex>
#include <vector>

namespace ashlar::linalg_detail {

/// Factors a row-major matrix of rows x columns, in place: A = Q R. The first min(rows, columns) columns of `a` become Q.
/// R goes to `r`, of columns x columns, with zeros below the diagonal and below its last row.
/// LAPACK sees A^T = L Q', so Q is Q'^T, which has the memory of Q', and R is L^T.
template <class T>
void local_qr(index_t rows, index_t columns, T* a, T* r) {
  std::fill_n(r, columns * columns, T(0));
  index_t const kept = (std::min)(rows, columns);
  if (kept == 0) return;
  int const m = static_cast<int>(columns), n = static_cast<int>(rows), k = static_cast<int>(kept), ask = -1;
  std::vector<T> tau(static_cast<std::size_t>(k));
  T best[2]{};
  int info = 0;
  local_gelqf(&m, &n, a, &m, tau.data(), &best[0], &ask, &info);
  local_glq(&k, &n, &k, a, &m, tau.data(), &best[1], &ask, &info);
  // A few rows of R, of which an int can count all elements.
  int const size = (std::max)(workspace_size(best[0]).value(), workspace_size(best[1]).value());
  std::vector<T> work(static_cast<std::size_t>(size));
  local_gelqf(&m, &n, a, &m, tau.data(), work.data(), &size, &info);
  for (index_t i = 0; i < kept; ++i)
    for (index_t j = i; j < columns; ++j) r[i * columns + j] = a[i * columns + j];
  local_glq(&k, &n, &k, a, &m, tau.data(), work.data(), &size, &info);
}

/// Multiplies columns of Q and rows of R by phases, so that the diagonal of R is real and not negative.
/// Pre: q is rows x columns, and r is columns x columns, row-major.
template <class T>
void make_diagonal_positive(index_t rows, index_t columns, T* q, T* r) {
  for (index_t j = 0; j < columns; ++j) {
    T const d = r[j * columns + j];
    auto const size = std::abs(d);
    if (size == 0) continue;
    T const phase = d / size;
    auto const conjugate = [](T x) {
      if constexpr (std::is_same_v<T, decltype(std::abs(x))>)
        return x;
      else
        return std::conj(x);
    };
    for (index_t i = j; i < columns; ++i) r[j * columns + i] *= conjugate(phase);
    for (index_t i = 0; i < rows; ++i) q[i * columns + j] *= phase;
    r[j * columns + j] = size;
  }
}

// The layout of matrices of `ranks` x n rows, n for each rank of the axes of a dimension.
template <class L>
struct stack_of;
template <class D0, class D1>
struct stack_of<basic_layout<D0, D1>> {
  using type =
      basic_layout<typename layout_detail::dim_from_names<typename layout_detail::names_of<D0>::type>::type, whole>;
};
template <class X>
struct columns_are_whole {
  static constexpr bool ok = plan_detail::value_on<mesh_t<X>, layout_t<X>>.dim[1].mask() == 0;
  static constexpr void say() {
    static_assert(
        ok,
        "ashlar::linalg::tall_skinny_qr: an axis shards the columns; redistribute the rows over all axes, or use linalg::qr");
  }
};

// Factors the shard: Q1 and, in `stack`, the triangle.
template <class X, class S>
void factor_shard(X const& x, S const& stack) {
  host_shard const rows(x);
  host_shard const triangle(stack);
  local_qr(x.local_extents()[0], x.extent(1), rows.data(), triangle.data());
  rows.finish();
  triangle.finish();
}

// The rows of each part's triangle: as many as the part has rows, and at most as many as q has columns.
template <class X>
std::vector<index_t> rows_of_triangles(X const& q) {
  constexpr layout_value const& v = plan_detail::value_on<mesh_t<X>, layout_t<X>>;
  mesh_shape const& mesh = q.mesh().sizes();
  std::vector<index_t> rows(static_cast<std::size_t>(layout_detail::parts(v.dim[0], mesh)));
  for (int r = 0; r < mesh.ranks(); ++r)
    rows[static_cast<std::size_t>(layout_detail::part_of_rank(v.dim[0], mesh, r))] =
        (std::min)(local_region(q.extents(), v, mesh, r).dim[0].size(), q.extent(1));
  return rows;
}

template <class T>
bool has_finite_parts(T const& x) {
  return meta_detail::is_finite(std::real(x)) && meta_detail::is_finite(std::imag(x));
}

// Factors the stack of all triangles, and makes Q1 the rows of Q. The stack is first closed up. Otherwise, if
// columns depend on each other, its factors could use the rows of zeros below a triangle, of which Q1 has no columns.
template <class X, class S, class R>
void combine_factors(X const& q, S const& stack, index_t own, R const& r) {
  using T = library_element_t<X>;
  host_shard const rows(q);
  host_shard const triangles(stack);
  host_shard const result(r);
  index_t const m = q.local_extents()[0], n = q.extent(1), k = (std::min)(m, n);
  index_t height = 0, begin = 0, part = 0;
  for (index_t const kept : rows_of_triangles(q)) {
    if (part * n == own) begin = height;
    std::copy_n(triangles.data() + part++ * n * n, kept * n, triangles.data() + height * n);
    height += kept;
  }
  // All ranks have all triangles, so none needs to hear of an element that another one has.
  if (!std::all_of(triangles.data(), triangles.data() + height * n, has_finite_parts<T>)) {
    plan_detail::error_text sentence;
    sentence << elements_are_not_finite;
    plan_detail::fail_with(sentence);
  }
  local_qr(height, n, triangles.data(), result.data());
  make_diagonal_positive(height, n, triangles.data(), result.data());
  std::vector<T> const first(rows.data(), rows.data() + m * n);
  kernels::gemm(Kokkos::DefaultHostExecutionSpace{}, m, n, k, T(1), kernels::matrix<T>{const_cast<T*>(first.data()), n},
                kernels::matrix<T>{triangles.data() + begin * n, n}, T(0), rows.data(), n);
  rows.finish();
  result.finish();
}

}  // namespace ashlar::linalg_detail

namespace ashlar::linalg {

/// The factors of A = Q R for a matrix of at least as many rows as columns, whose columns no axis shards. Q has
/// orthonormal columns. R is upper triangular, with a real diagonal that is not negative.
/// Shape: a (m, n) with m >= n; q (m, n) in the layout of a; r (n, n), replicated. A partial `a` is reduced first.
/// Collective: every rank of the mesh calls it; it blocks.
/// Cost: one all_gather of an n x n matrix per rank of the axes that shard the rows. Each rank factors its own rows by
///   LAPACK, then all matrices that it has received. Rows may be shared in any way; shards may be empty.
/// Error: ashlar::error on every rank if there are fewer rows than columns, or if an element is not finite.
/// Example: auto const [q, r] = linalg::tall_skinny_qr(a);  // a of layout<axes("p", "q"), none>
/// Source: Demmel, Grigori, Hoemmen, Langou, Communication-optimal parallel and sequential QR and LU factorizations, 2012
template <class X>
[[nodiscard]] constexpr auto tall_skinny_qr(X const& a, call_site w = call_site::current()) {
  using namespace linalg_detail;
  auto const work = [&]<class A>(A const& x) {
    using L = reduced_t<layout_t<A>>;
    auto const& mesh = x.mesh();
    index_t const m = x.extents()[0], n = x.extents()[1];
    if (m < n)
      plan_detail::fail_extents("ashlar::linalg::tall_skinny_qr: the matrix has at least as many rows as columns",
                                x.extents(), shape::of(n, n));
    using Stack = typename stack_of<L>::type;
    constexpr layout_value const& rows = plan_detail::value_on<mesh_t<A>, Stack>;
    index_t const parts = layout_detail::parts(rows.dim[0], mesh.sizes());
    auto q = working_copy<L>(x, w);
    check_counts(q.extents(), plan_detail::value_on<mesh_t<A>, L>, mesh.sizes());
    check_counts(shape::of(parts * n, n), plan_detail::value_on<mesh_t<A>, on_all>, mesh.sizes());
    auto const stack = plan_detail::allocate<element_t<A>, Stack>(mesh, shape::of(parts * n, n));
    if constexpr (on_real_ranks<decltype(q)>) factor_shard(q, stack);
    auto const all = ops_detail::relayout(ops_detail::destination<on_all, 0u>{}, stack, w);
    auto r = plan_detail::allocate<element_t<A>, on_all>(mesh, shape::of(n, n));
    if constexpr (on_real_ranks<decltype(q)>) combine_factors(q, all, stack.local_region().dim[0].begin, r);
    return qr_factors<decltype(q), decltype(r)>{q, r};
  };
  return with_matrix<columns_are_whole<X>>(a, w, work, [](auto const& x) { return qr_factors<X, X>{x, x}; });
}

}  // namespace ashlar::linalg
