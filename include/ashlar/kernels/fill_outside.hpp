// SPDX-License-Identifier: BSL-1.0
// Fills an array except a box of it.
#pragma once
#include "ashlar/kernels/rows.hpp"

namespace ashlar::kernels_detail {

/// Indices [begin, end) of each dimension of an array.
struct inner_box {
  shape extents, begin, end;

  /// True if the indices of dimensions 0 to `dims` - 1 are in the box, for element `number` of these dimensions.
  KOKKOS_FUNCTION bool holds(index_t number, int dims) const {
    bool inside = true;
    for (int d = dims - 1; d >= 0; --d) {
      index_t const at = number % extents[d];
      number /= extents[d];
      inside = inside && begin[d] <= at && at < end[d];
    }
    return inside;
  }
};

template <class T>
struct fill_outside_kernel {
  T* out;
  inner_box box;
  T value;

  KOKKOS_FUNCTION void operator()(index_t i) const {
    if (!box.holds(i, box.extents.rank)) out[i] = value;
  }
};

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

/// Gives the elements of a row-major array that are outside the box [begin, end) a value. The others stay.
/// Pre: extents.rank >= 1; 0 <= begin <= end <= extents.
template <class Space, class T>
void fill_outside(Space const& space, T* out, shape const& extents, shape const& begin, shape const& end, T value) {
  kernels_detail::inner_box const box{extents, begin, end};
  if (extents.size() == 0) return;
  if constexpr (kernels_detail::runs_in_caller<Space>) {
    int const last = extents.rank - 1;
    index_t const n = extents[last], rows = extents.size() / n;
    kernels_detail::for_each_index("ashlar::fill_outside", space, rows, n, [&](index_t row) {
      bool const inside = box.holds(row, last);
      std::fill_n(out + row * n, inside ? begin[last] : n, value);
      if (inside) std::fill_n(out + row * n + end[last], n - end[last], value);
    });
  } else {
    kernels_detail::for_elements("ashlar::fill_outside", space, extents.size(),
                                 kernels_detail::fill_outside_kernel<T>{out, box, value});
  }
}

}  // namespace ashlar::kernels
