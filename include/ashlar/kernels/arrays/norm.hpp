// SPDX-License-Identifier: BSL-1.0
// The sum of squares of an array.
#pragma once
#include "ashlar/kernels/reduce.hpp"
#include "ashlar/ops/arrays/norm.hpp"

namespace ashlar::kernels_detail {

/// The square of an element, as type R.
template <class R>
struct square_as {
  template <class T>
  KOKKOS_FUNCTION R operator()(T x) const {
    R const y = static_cast<R>(x);
    return y * y;
  }
};

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <class S, class R, class T>
void run(ops_detail::sum_of_squares_op const&, S const& space, scratch_memory, shard<R> const& y,
         shard<T const> const& x) {
  shape const e = x.local_extents();
  map_reduce<op::sum>(space, e, (1u << e.rank) - 1u, y.data, kernels_detail::square_as<R>{}, contiguous(x.data, e));
}

}  // namespace ashlar::kernels
