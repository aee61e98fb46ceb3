// The elements of one triangle of a matrix.
#pragma once
#include "ashlar/linalg/solver_call.hpp"

namespace ashlar::linalg {

/// The triangle of a matrix that a routine reads. The diagonal belongs to both.
enum class triangle { lower, upper };

}  // namespace ashlar::linalg

namespace ashlar::linalg_detail {

using linalg::triangle;

// Clears the part of a row that is outside the triangle.
template <class T>
struct clear_triangle_kernel {
  T* data;
  index_set rows, columns;
  bool keeps_lower;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t const n = columns.size(), at = rows[i];
    index_t const begin = keeps_lower ? columns.below(at + 1) : 0, end = keeps_lower ? n : columns.below(at);
    for (index_t j = begin; j < end; ++j) data[i * n + j] = T(0);
  }
};

// Copies the part of a row that is inside the triangle, and clears the rest.
template <class T>
struct copy_triangle_kernel {
  T const* from;
  T* to;
  index_set rows, columns;
  bool keeps_lower;
  KOKKOS_FUNCTION void operator()(index_t i) const {
    index_t const n = columns.size(), at = rows[i];
    index_t const begin = keeps_lower ? 0 : columns.below(at), end = keeps_lower ? columns.below(at + 1) : n;
    for (index_t j = 0; j < begin; ++j) to[i * n + j] = T(0);
    for (index_t j = begin; j < end; ++j) to[i * n + j] = from[i * n + j];
    for (index_t j = end; j < n; ++j) to[i * n + j] = T(0);
  }
};

/// Makes the elements outside a triangle 0. The diagonal stays.
template <class X>
void keep_triangle(X const& x, triangle which) {
  region const r = x.local_region();
  kernels_detail::for_elements(
      "ashlar::linalg::triangle", typename X::execution_space{}, r.dim[0].size(),
      clear_triangle_kernel<element_t<X>>{x.data(), r.dim[0], r.dim[1], which == triangle::lower});
}

/// working_copy of one triangle. The elements outside are 0.
template <class L, class X>
constexpr auto working_triangle(X const& x, triangle which, call_site const& w) {
  auto y = redistribute<L>(x, w);
  if constexpr (on_real_ranks<decltype(y)>) {
    if (y.owner().use_count() == 1) {
      y.owner()->before_writing();
      keep_triangle(y, which);
    } else {
      using T = element_t<decltype(y)>;
      decltype(y) const own(y.mesh(), y.extents());
      region const r = y.local_region();
      kernels_detail::for_elements(
          "ashlar::linalg::triangle", typename decltype(y)::execution_space{}, r.dim[0].size(),
          copy_triangle_kernel<T>{y.data(), own.data(), r.dim[0], r.dim[1], which == triangle::lower});
      y = own;
    }
  }
  return y;
}

}  // namespace ashlar::linalg_detail
