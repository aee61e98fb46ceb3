// SPDX-License-Identifier: BSL-1.0
// Windows over images whose shards have room for cells of their neighbours.
#pragma once
#include "ashlar/kernels/shard.hpp"
#include "ashlar/layout/window.hpp"

namespace ashlar::kernels {

/// One rank's shard of images with a halo: a row-major array of `stored` extents. The owned elements begin at index
/// `lower` of each dimension.
template <class T>
struct stored_shard : shard<T> {
  shape stored, lower;
};

}  // namespace ashlar::kernels

namespace ashlar::kernels_detail {

/// Windows along dimension d, in positions of the stored array x: those whose results y stores, with `room_below` and
/// `room_above` windows more.
template <class X, class Y>
layout_detail::windows stored_windows(layout_detail::windows const& all, int d, kernels::stored_shard<X> const& x,
                                      kernels::stored_shard<Y> const& y, index_t room_below = 0,
                                      index_t room_above = 0) {
  layout_detail::windows w = all;
  w.n = x.stored[d];
  w.number = y.owned.dim[d].size() + room_below + room_above;
  w.ahead = x.owned.dim[d].begin - x.lower[d] - all.first(y.owned.dim[d].begin) + room_below * all.stride;
  return w;
}

}  // namespace ashlar::kernels_detail
