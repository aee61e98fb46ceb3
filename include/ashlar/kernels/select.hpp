// SPDX-License-Identifier: BSL-1.0
// The transpose of a selection: zeros, except at one index of the first dimension.
#pragma once
#include "ashlar/kernels/shard.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/ops/select.hpp"

namespace ashlar::kernels {

template <class S, class T>
void run(ops_detail::select_pullback_op const& op, S const& space, scratch_memory, shard<T> const& g,
         shard<T const> const& ct, auto const&) {
  fill(space, g.data, g.local_size(), T(0));
  index_t const size = ct.local_size();
  copy(space, ct.data, g.data + op.at * size, size);
}

}  // namespace ashlar::kernels
