// The elements of one triangle of a matrix.
#pragma once
#include "ashlar/linalg/solver_call.hpp"

namespace ashlar::linalg {

/// The triangle of a matrix that a routine reads. The diagonal belongs to both.
enum class triangle { lower, upper };

}  // namespace ashlar::linalg

namespace ashlar::linalg_detail {

using linalg::triangle;

template <class T>
struct clear_triangle_kernel {
  T* data;
  index_set rows, columns;
  bool keeps_lower;
  KOKKOS_FUNCTION void operator()(index_t e) const {
    index_t const i = rows[e / columns.size()], j = columns[e % columns.size()];
    if (keeps_lower ? j > i : j < i) data[e] = T(0);
  }
};

/// Makes the elements outside a triangle 0. The diagonal stays.
template <class X>
void keep_triangle(X const& x, triangle which) {
  region const r = x.local_region();
  kernels_detail::for_elements(
      "ashlar::linalg::triangle", typename X::execution_space{}, r.size(),
      clear_triangle_kernel<element_t<X>>{x.data(), r.dim[0], r.dim[1], which == triangle::lower});
}

}  // namespace ashlar::linalg_detail
