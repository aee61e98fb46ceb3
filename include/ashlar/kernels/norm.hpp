// SPDX-License-Identifier: BSL-1.0
// The sum of squares of an array.
#pragma once
#include "ashlar/kernels/reduce.hpp"
#include "ashlar/ops/norm.hpp"

namespace ashlar::kernels {

template <class S, class T>
void run(ops_detail::sum_of_squares_op const&, S const& space, scratch_memory, shard<T> const& y,
         shard<T const> const& x) {
  shape const e = x.local_extents();
  map_reduce<op::sum>(space, e, (1u << e.rank) - 1u, y.data, ops_detail::fn::square{}, contiguous(x.data, e));
}

}  // namespace ashlar::kernels
