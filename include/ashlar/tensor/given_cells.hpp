// SPDX-License-Identifier: BSL-1.0
// Cells beyond given boundaries: results take them from an operand.
#pragma once
#include "ashlar/tensor/haloed_tensor.hpp"

namespace ashlar::tensor_detail {

template <class T>
struct converted {
  template <class U>
  KOKKOS_FUNCTION T operator()(U x) const {
    return static_cast<T>(x);
  }
};

// Calls visit(box) for boxes of stored cells that together hold all given cells of this rank. They overlap.
template <class X, class Visit>
void for_each_given_box(X const& x, Visit const& visit) {
  if (!has_given_cells(X::widths, X::rank)) return;
  region const own = x.local_region();
  shape const stored = x.stored_extents();
  if (stored.size() == 0) return;
  for (int d = 0; d < X::rank; ++d) {
    halo_width const& w = X::widths.dim[d];
    index_t const below = w.lower - own.dim[d].begin, above = own.dim[d].end + w.upper - x.extents()[d];
    auto const side = [&](index_t begin, index_t count) {
      kernels::box b = box_of(stored);
      b.lower[d] = begin;
      b.extent[d] = count;
      visit(b);
    };
    if (w.below == boundary::given && below > 0) side(0, below);
    if (w.above == boundary::given && above > 0) side(stored[d] - above, above);
  }
}

/// Copies the given cells of x to y, which has the same halo. Other cells beside the owned ones may change.
template <class Space, class X, class Y>
void copy_given_cells(Space const& space, X const& x, Y const& y) {
  using T = element_t<Y>;
  if (static_cast<void const*>(cells_of(x)) == cells_of(y)) return;
  row_major_strides const strides = y.stored_strides(), strides_of_x = x.stored_strides();
  for_each_given_box(y, [&](kernels::box const& b) {
    kernels::strided<element_t<X>> from{cells_of(x) + strides_of_x.offset(b.lower), {}};
    std::copy_n(strides_of_x.stride, X::rank, from.stride);
    kernels::map_to(space, b.shape(Y::rank), all_cells_of(y) + strides.offset(b.lower), strides.stride, converted<T>{},
                    from);
  });
}
/// Makes the given cells of y 0.
template <class Space, class Y>
void clear_given_cells(Space const& space, Y const& y) {
  using T = element_t<Y>;
  row_major_strides const strides(y.stored_extents());
  for_each_given_box(y, [&](kernels::box const& b) {
    kernels::map_to(space, b.shape(Y::rank), all_cells_of(y) + strides.offset(b.lower), strides.stride, converted<T>{},
                    kernels::constant<T>{T{}});
  });
}

}  // namespace ashlar::tensor_detail
