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
    kernels_detail::loop_nest<2> const loops[]{kernels_detail::slabs_between(Dim, count, e, from, e, to)};
    if (count > 0) kernels_detail::strided_copy(space, x.data, y.data, loops);
  };
  move(0, by, n - by);
  move(n - by, 0, by);
}

}  // namespace ashlar::kernels
