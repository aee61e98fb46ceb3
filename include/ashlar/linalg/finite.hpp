// SPDX-License-Identifier: BSL-1.0
// Triangles of matrices, and the check that solvers make of their operands. From NaN and infinity the libraries make factors without a word, and
// the iteration for singular values never ends.
#pragma once
#include "ashlar/linalg/solver_call.hpp"
#include "ashlar/meta/nan.hpp"

namespace ashlar::linalg {

/// The triangle of a matrix that a routine reads. The diagonal belongs to both.
enum class triangle { lower, upper };

}  // namespace ashlar::linalg

namespace ashlar::linalg_detail {

using linalg::triangle;

// Copies the part of a row that is inside the triangle, unless it is there already, and clears the rest.
template <class T>
struct triangle_kernel {
  T const* from;
  T* to;
  index_set rows, columns;
  bool keeps_lower;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t const n = columns.size(), at = rows[i];
    index_t const begin = keeps_lower ? 0 : columns.below(at), end = keeps_lower ? columns.below(at + 1) : n;
    for (index_t j = 0; j < begin; ++j) to[i * n + j] = T(0);
    if (from != to)
      for (index_t j = begin; j < end; ++j) to[i * n + j] = from[i * n + j];
    for (index_t j = end; j < n; ++j) to[i * n + j] = T(0);
  }
};

/// Makes y the triangle of x, which has the same layout, with 0 outside. The diagonal stays.
template <class X>
void copy_triangle(X const& x, X const& y, triangle which) {
  using T = element_t<X>;
  region const r = x.local_region();
  kernels_detail::for_elements("ashlar::linalg::triangle", typename X::execution_space{}, r.dim[0].size(),
                               triangle_kernel<T>{tensor_detail::cells_of(x), tensor_detail::cells_of(y), r.dim[0],
                                                  r.dim[1], which == triangle::lower});
}

/// Makes the elements outside a triangle 0. The diagonal stays.
template <class X>
void keep_triangle(X const& x, triangle which) {
  copy_triangle(x, x, which);
}

/// working_copy of one triangle. The elements outside are 0.
template <class L, class X>
constexpr auto working_triangle(X const& x, triangle which, call_site const& w) {
  return overwritable<L>(x, w, [which](auto const& from, auto const& to) { copy_triangle(from, to, which); });
}

inline constexpr char const* elements_are_not_finite =
    "ashlar::linalg: an element of the matrix or of the right-hand side is NaN or infinite; give finite numbers";

// Looks through a row of the shard. `numbers` is 2 for complex elements.
template <class R>
struct find_not_finite_kernel {
  R const* data;
  index_set rows, columns;
  index_t numbers;
  bool lower, upper;  // the triangles that the routine reads
  KOKKOS_FUNCTION void operator()(index_t i, int& found) const {
    index_t const at = rows[i], n = columns.size();
    index_t const begin = lower ? 0 : columns.below(at), end = upper ? n : columns.below(at + 1);
    R const* const row = data + i * n * numbers;
    int here = 0;
    for (index_t j = begin * numbers; j < end * numbers; ++j) here |= static_cast<int>(!meta_detail::is_finite(row[j]));
    found |= here;
  }
};

/// True if all elements of this rank's shard, or of its part of a triangle, are finite.
template <class X>
bool has_finite_shard(X const& x, std::optional<triangle> only = {}) {
  using Space = typename X::execution_space;
  using R = ops_detail::component_t<element_t<X>>;
  region const r = x.local_region();
  find_not_finite_kernel<R> const kernel{reinterpret_cast<R const*>(tensor_detail::cells_of(x)),
                                         r.dim[0],
                                         r.dim[1],
                                         sizeof(element_t<X>) / sizeof(R),
                                         only != triangle::upper,
                                         only != triangle::lower};
  int found = 0;
  Kokkos::parallel_reduce("ashlar::linalg::finite",
                          Kokkos::RangePolicy<Space, Kokkos::IndexType<index_t>>(0, kernel.rows.size()), kernel, found);
  return found == 0;
}

/// True if all elements of the operands are finite, on all ranks that share the matrix.
template <class X, class... Y>
bool are_finite(X const& x, Y const&... more) {
  return on_every_rank(x, has_finite_shard(x) && (has_finite_shard(more) && ...));
}

}  // namespace ashlar::linalg_detail
