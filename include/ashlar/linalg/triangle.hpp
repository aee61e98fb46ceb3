// SPDX-License-Identifier: BSL-1.0
// The elements of one triangle of a matrix.
#pragma once
#include "ashlar/linalg/solver_call.hpp"

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
                               triangle_kernel<T>{x.data(), y.data(), r.dim[0], r.dim[1], which == triangle::lower});
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

}  // namespace ashlar::linalg_detail
