// SPDX-License-Identifier: BSL-1.0
// Pooling of row-major images [n][h][w][channels].
#pragma once
#include "ashlar/kernels/stencils/halo_windows.hpp"
#include "ashlar/kernels/rows.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/layout/op.hpp"
#include "ashlar/layout/window.hpp"
#include "ashlar/ops/nn/pooling.hpp"

namespace ashlar::kernels {

/// Windows over images [n][rows.n][columns.n][channels]. Only the elements [begin, end) of either dimension count.
struct pooled {
  index_t images = 0;
  layout_detail::windows rows, columns;
  index_t channels = 0;
  index_t row_begin = 0, row_end = rows.n, column_begin = 0, column_end = columns.n;
  /// Distances of images and rows in the result.
  index_t result_row = columns.count() * channels, result_image = rows.count() * result_row;
};

}  // namespace ashlar::kernels

namespace ashlar::kernels_detail {

using kernels::pooled;

/// The elements of one window inside the image: [top, bottom) by [left, right).
struct window_box {
  index_t top, bottom, left, right;
  KOKKOS_FUNCTION window_box(pooled const& g, index_t i, index_t j)
      : top(g.rows.first(i)), bottom(top + g.rows.size), left(g.columns.first(j)), right(left + g.columns.size) {
    top = top < g.row_begin ? g.row_begin : top;
    left = left < g.column_begin ? g.column_begin : left;
    bottom = bottom > g.row_end ? g.row_end : bottom;
    right = right > g.column_end ? g.column_end : right;
  }
  KOKKOS_FUNCTION index_t size() const { return (bottom - top) * (right - left); }
};

/// The common part of the kernels. A task handles some channels of one image.
template <class T>
struct pooling_kernel {
  pooled g;
  index_t width;  // channels of a task

  /// Calls f(window, offset of its result, offset of the image) for all windows of a task.
  template <class F>
  KOKKOS_FUNCTION void each_window(index_t task, F const& f) const {
    index_t const tasks = g.channels / width, n = task / tasks, c = task % tasks * width;
    index_t const image = n * g.rows.n * g.columns.n * g.channels + c;
    index_t const rows = g.rows.count(), columns = g.columns.count();
    for (index_t i = 0; i < rows; ++i) {
      index_t out = n * g.result_image + i * g.result_row + c;
      for (index_t j = 0; j < columns; ++j, out += g.channels) f(window_box(g, i, j), out, image);
    }
  }
  KOKKOS_FUNCTION index_t at(index_t image, index_t y, index_t x) const {
    return image + (y * g.columns.n + x) * g.channels;
  }
  KOKKOS_FUNCTION void clear(index_t task, T* images) const {
    index_t const tasks = g.channels / width, n = task / tasks, c = task % tasks * width;
    for (index_t p = 0; p < g.rows.n * g.columns.n; ++p)
      for (index_t k = 0; k < width; ++k) images[(n * g.rows.n * g.columns.n + p) * g.channels + c + k] = T(0);
  }
};

/// Pools each window, channel by channel: to the largest element (NaN if one is), or to the mean of the elements inside
/// the image.
/// Shape: y [images][rows.count()][columns.count()][channels]
template <class T, bool Max>
struct pool_kernel {
  pooling_kernel<T> k;
  T const* x;
  T* y;

  KOKKOS_FUNCTION void operator()(index_t task) const {
    k.each_window(task, [&](window_box const& b, index_t out, index_t image) {
      T* const to = y + out;
      T const* const first = x + k.at(image, b.top, b.left);
      for (index_t c = 0; c < k.width; ++c) to[c] = Max ? first[c] : T(0);
      for (index_t i = b.top; i < b.bottom; ++i)
        for (index_t j = b.left; j < b.right; ++j) {
          T const* const from = x + k.at(image, i, j);
          for (index_t c = 0; c < k.width; ++c)
            if constexpr (Max)
              to[c] = op::max::combine(to[c], from[c]);
            else
              to[c] += from[c];
        }
      // A small integer type may not hold the number of elements.
      using count = std::conditional_t<std::is_integral_v<T>, std::common_type_t<T, index_t>, T>;
      if constexpr (!Max)
        for (index_t c = 0; c < k.width; ++c) to[c] = static_cast<T>(to[c] / static_cast<count>(b.size()));
    });
  }
};

/// The cotangent of x. The first of equal largest elements gets it; if there is NaN, the first NaN gets it.
template <class T, bool Max>
struct pool_vjp_kernel {
  pooling_kernel<T> k;
  T const* x;
  T const* d_y;
  T* d_x;

  KOKKOS_FUNCTION void operator()(index_t task) const {
    k.clear(task, d_x);
    k.each_window(task, [&](window_box const& b, index_t out, index_t image) {
      T const* const ct = d_y + out;
      if constexpr (Max) {
        for (index_t c = 0; c < k.width; ++c) {
          index_t best = k.at(image, b.top, b.left) + c;
          for (index_t i = b.top; i < b.bottom; ++i)
            for (index_t j = b.left; j < b.right; ++j)
              if (index_t const here = k.at(image, i, j) + c;
                  !is_nan(x[best]) && ((finite_math && is_nan(x[here])) || !(x[here] <= x[best])))
                best = here;
          d_x[best] += ct[c];
        }
      } else {
        for (index_t i = b.top; i < b.bottom; ++i)
          for (index_t j = b.left; j < b.right; ++j) {
            T* const to = d_x + k.at(image, i, j);
            for (index_t c = 0; c < k.width; ++c) to[c] += ct[c] / static_cast<T>(b.size());
          }
      }
    });
  }
};

/// Runs a kernel of these arrays. A task handles all channels of an image on the host, and one channel on devices.
template <class Kernel, class Space, class... X>
void run_pooling(Space const& space, pooled const& g, X*... x) {
  index_t const width = runs_in_caller<Space> ? std::max<index_t>(g.channels, 1) : 1;
  index_t const windows = g.rows.count() * g.columns.count(),
                tasks = windows == 0 ? 0 : g.images * (g.channels / width);
  for_each_index("ashlar::pool", space, tasks, windows * g.rows.size * g.columns.size * width,
                 Kernel{{g, width}, x...});
}

template <pooling Kind, int Size, int Stride, padding Edge>
pooled pooled_images(sliding_window<Kind, Size, Stride, Edge> const& op, shape const& images) {
  return {images[0], op.along(0, images), op.along(1, images), images[3]};
}
// The same on shards with halos. Cells beyond zero boundaries do not count.
template <pooling Kind, int Size, int Stride, padding Edge, class X, class Y>
pooled pooled_images(sliding_window<Kind, Size, Stride, Edge> const& op, layout_detail::halo_widths const& halo,
                     kernels::stored_shard<X> const& images, kernels::stored_shard<Y> const& results) {
  auto const along = [&](int d) { return stored_windows(op.along(d - 1, images.global), d, images, results); };
  pooled g{images.stored[0], along(1), along(2), images.stored[3]};
  auto const keep_domain = [&](int d, index_t& begin, index_t& end) {
    index_t const first = images.owned.dim[d].begin - images.lower[d];
    if (halo.dim[d].below == boundary::zero) begin = std::max<index_t>(begin, -first);
    if (halo.dim[d].above == boundary::zero) end = std::min<index_t>(end, images.global[d] - first);
  };
  keep_domain(1, g.row_begin, g.row_end);
  keep_domain(2, g.column_begin, g.column_end);
  g.result_row = results.stored[2] * g.channels;
  g.result_image = results.stored[1] * g.result_row;
  return g;
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

template <nn::pooling Kind, int Size, int Stride, nn::padding Edge, class S, class T>
void run(ops_detail::pool2d_op<Kind, Size, Stride, Edge> const& op, S const& space, scratch_memory, shard<T> const& y,
         shard<T const> const& x) {
  kernels_detail::run_pooling<kernels_detail::pool_kernel<T, Kind == nn::pooling::max>>(
      space, kernels_detail::pooled_images(op, x.local_extents()), x.data, y.data);
}
template <nn::pooling Kind, int Size, int Stride, nn::padding Edge, class S, class T>
void run(ops_detail::pool2d_pullback_op<Kind, Size, Stride, Edge> const& op, S const& space, scratch_memory,
         shard<T> const& g, shard<T const> const& ct, shard<T const> const& x) {
  kernels_detail::run_pooling<kernels_detail::pool_vjp_kernel<T, Kind == nn::pooling::max>>(
      space, kernels_detail::pooled_images(op, x.local_extents()), x.data, ct.data, g.data);
}

template <nn::pooling Kind, int Size, int Stride, nn::padding Edge, class L, class To, class S, class T>
void run(ops_detail::pool2d_halo_op<Kind, Size, Stride, Edge, L, To> const& op, S const& space, scratch_memory,
         stored_shard<T> const& y, stored_shard<T const> const& x) {
  kernels_detail::pooled const g = kernels_detail::pooled_images(op, layout_detail::halo_of<L>::widths, x, y);
  kernels_detail::run_pooling<kernels_detail::pool_kernel<T, Kind == nn::pooling::max>>(
      space, g, x.data, y.data + y.lower[1] * g.result_row + y.lower[2] * g.channels);
}
template <nn::pooling Kind, int Size, int Stride, nn::padding Edge, class L, class S, class T>
void run(ops_detail::pool2d_halo_pullback_op<Kind, Size, Stride, Edge, L> const& op, S const& space, scratch_memory,
         stored_shard<T> const& g, stored_shard<T const> const& ct, stored_shard<T const> const& x) {
  kernels_detail::pooled const p = kernels_detail::pooled_images(op, layout_detail::halo_of<L>::widths, x, ct);
  if (ct.local_size() == 0) return fill(space, g.data, g.stored.size(), T(0));  // this rank has no windows
  kernels_detail::run_pooling<kernels_detail::pool_vjp_kernel<T, Kind == nn::pooling::max>>(space, p, x.data, ct.data,
                                                                                            g.data);
}

}  // namespace ashlar::kernels
