// SPDX-License-Identifier: BSL-1.0
// Elements of one rank's array, moved around the end of a dimension.
#pragma once
#include "ashlar/kernels/shard.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/ops/fft/fftshift.hpp"

namespace ashlar::kernels {

template <int Dim, class S, class T>
void run(ops_detail::fftshift_op<Dim> const& op, S const& space, scratch_memory, shard<T> const& y,
         shard<T const> const& x) {
  shape const e = x.local_extents();
  index_t const n = e[Dim], by = op.places(n);
  if (e.size() == 0) return;
  auto const move = [&](index_t from, index_t to, index_t count) {
    box source, target;
    for (int d = 0; d < e.rank; ++d) source.extent[d] = target.extent[d] = d == Dim ? count : e[d];
    source.lower[Dim] = from;
    target.lower[Dim] = to;
    if (count > 0) copy_region(space, x.data, e, source, y.data, e, target);
  };
  move(0, by, n - by);
  move(n - by, 0, by);
}

}  // namespace ashlar::kernels
