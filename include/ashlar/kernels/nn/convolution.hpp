// SPDX-License-Identifier: BSL-1.0
// Convolution of row-major images [n][h][w][channels] and its transposes. On the host by oneDNN, if it is available and
// fast; otherwise by products of patches.
#pragma once
#include "ashlar/kernels/nn/convolution_by_onednn.hpp"
#include "ashlar/kernels/nn/convolution_on_device.hpp"
#include "ashlar/kernels/nn/convolution_on_host.hpp"
#include "ashlar/kernels/stencils/halo_windows.hpp"
#include "ashlar/kernels/scratch.hpp"
#include "ashlar/kernels/shard.hpp"
#include "ashlar/kernels/strided_copy.hpp"
#include "ashlar/ops/nn/convolution.hpp"

namespace ashlar::kernels_detail {

// The convolution of images by a kernel, both with these extents.
template <int Stride, int Dilation, padding Edge>
convolution convolution_of(sliding_kernel<Stride, Dilation, Edge> const& op, shape const& images, shape const& kernel) {
  return {images[0], op.along(0, images, kernel), op.along(1, images, kernel), images[3], kernel[3]};
}

// The same on shards with halos. `results` has the extents of the result on this rank.
template <int Stride, int Dilation, padding Edge, class X, class Y>
convolution convolution_of(sliding_kernel<Stride, Dilation, Edge> const& op, kernels::stored_shard<X> const& images,
                           shape const& kernel, kernels::stored_shard<Y> const& results, shape const& room_below = {},
                           shape const& room_above = {}) {
  auto const along = [&](int d) {
    return stored_windows(op.along(d - 1, images.global, kernel), d, images, results,
                          room_below.rank ? room_below[d] : 0, room_above.rank ? room_above[d] : 0);
  };
  return {images.stored[0], along(1), along(2), kernel[2], kernel[3]};
}

}  // namespace ashlar::kernels_detail

namespace ashlar::kernels {

/// `result[n, i, j, o]` = sum over k, l, c of
///   `images[n, i s + k d - before, j s + l d - before, c] kernel[k, l, c, o]`.
/// The stride is s, the dilation d. Images are 0 beyond their edges.
/// Shape: result [images][rows.count()][columns.count()][filters].
/// Pre: the result overlaps no operand.
/// Cost: on the host, oneDNN for float. Otherwise patches of positions that fit a part of the cache are copied together
///   and multiplied; each thread takes images of its own. On devices, patches of as many images as fit 2^25 elements. A
///   kernel of one element with stride 1 is one matrix product.
/// Error: ashlar::error if oneDNN fails. No case beyond a lack of memory is known.
template <class Space, BlasScalar T>
void convolve(Space const& space, scratch_memory memory, convolution const& g, T const* images, T const* kernel,
              T* result) {
  index_t const k = g.patch(), o = g.filters, rows = g.images * g.positions();
  if (g.is_product() || k == 0)
    return gemm(space, rows, o, k, T(1), matrix<T>{images, k}, matrix<T>{kernel, o}, T(0), result, o);
  if (rows * o == 0) return;
  if constexpr (!kernels_detail::runs_in_caller<Space>)
    kernels_detail::convolution_by_device_blas<Space, T>{space, memory, g}.result(images, kernel, result);
  else if (!kernels_detail::convolution_by_onednn<Space, T>{space, memory, g}.result(images, kernel, result))
    kernels_detail::convolution_by_blas<Space, T>{space, memory, g}.result(images, kernel, result);
}

/// The cotangent of the images, from the cotangent of the result: the transpose of convolve in its images.
template <class Space, BlasScalar T>
void convolve_images_vjp(Space const& space, scratch_memory memory, convolution const& g, T const* d_result,
                         T const* kernel, T* d_images) {
  index_t const k = g.patch(), o = g.filters, rows = g.images * g.positions();
  if (g.is_product())
    return gemm(space, rows, k, o, T(1), matrix<T>{d_result, o}, matrix<T>{kernel, o, true}, T(0), d_images, k);
  if (rows * k * o == 0) return fill(space, d_images, g.images * g.image_size(), T(0));
  if constexpr (!kernels_detail::runs_in_caller<Space>)
    kernels_detail::convolution_by_device_blas<Space, T>{space, memory, g}.images(d_result, kernel, d_images);
  else if (!kernels_detail::convolution_by_onednn<Space, T>{space, memory, g}.images(d_result, kernel, d_images))
    kernels_detail::convolution_by_blas<Space, T>{space, memory, g}.images(d_result, kernel, d_images);
}

/// The cotangent of the kernel: the transpose of convolve in its kernel, summed over slices of the batch.
/// Post: the same bits for every number of the host's threads.
template <class Space, BlasScalar T>
void convolve_kernel_vjp(Space const& space, scratch_memory memory, convolution const& g, T const* images,
                         T const* d_result, T* d_kernel) {
  index_t const k = g.patch(), o = g.filters, rows = g.images * g.positions();
  if (rows * k * o == 0) return fill(space, d_kernel, k * o, T(0));
  if (g.is_product())
    return gemm(space, k, o, rows, T(1), matrix<T>{images, k, true}, matrix<T>{d_result, o}, T(0), d_kernel, o);
  if constexpr (!kernels_detail::runs_in_caller<Space>)
    kernels_detail::convolution_by_device_blas<Space, T>{space, memory, g}.kernel(images, d_result, d_kernel);
  else if (!kernels_detail::convolution_by_onednn<Space, T>{space, memory, g}.kernel(images, d_result, d_kernel))
    kernels_detail::convolution_by_blas<Space, T>{space, memory, g}.kernel(images, d_result, d_kernel);
}

template <int Stride, int Dilation, nn::padding Edge, class S, class T>
void run(ops_detail::conv2d_op<Stride, Dilation, Edge> const& op, S const& space, scratch_memory memory,
         shard<T> const& y, shard<T const> const& images, shard<T const> const& kernel) {
  convolve(space, memory, kernels_detail::convolution_of(op, images.local_extents(), kernel.local_extents()),
           images.data, kernel.data, y.data);
}
template <int Stride, int Dilation, nn::padding Edge, class S, class T>
void run(ops_detail::conv2d_pullback_op<0, Stride, Dilation, Edge> const& op, S const& space, scratch_memory memory,
         shard<T> const& g, shard<T const> const& ct, shard<T const> const& kernel) {
  convolve_images_vjp(space, memory, kernels_detail::convolution_of(op, g.local_extents(), kernel.local_extents()),
                      ct.data, kernel.data, g.data);
}
template <int Stride, int Dilation, nn::padding Edge, class S, class T>
void run(ops_detail::conv2d_pullback_op<1, Stride, Dilation, Edge> const& op, S const& space, scratch_memory memory,
         shard<T> const& g, shard<T const> const& images, shard<T const> const& ct) {
  convolve_kernel_vjp(space, memory, kernels_detail::convolution_of(op, images.local_extents(), g.local_extents()),
                      images.data, ct.data, g.data);
}

/// The convolution of images with a halo. If the result has a halo, too, windows around the rank's own are computed with
/// them, into the room: then all results are one array. If they would be many, the result is copied into its place.
template <int Stride, int Dilation, nn::padding Edge, class To, class S, class T>
void run(ops_detail::conv2d_halo_op<Stride, Dilation, Edge, To> const& op, S const& space, scratch_memory memory,
         stored_shard<T> const& y, stored_shard<T const> const& images, stored_shard<T const> const& kernel) {
  shape const own = y.local_extents(), k = kernel.local_extents();
  if (own.size() == 0) return;
  if (images.stored.size() == 0) return fill(space, y.data, y.stored.size(), T(0));
  shape above = y.stored;
  for (int d = 0; d < 4; ++d) above[d] -= own[d] + y.lower[d];
  if (y.stored.size() <= own.size() + own.size() / 8)
    return convolve(space, memory, kernels_detail::convolution_of(op, images, k, y, y.lower, above), images.data,
                    kernel.data, y.data);
  auto const dense = memory.array<T>(own.size());
  convolve(space, memory, kernels_detail::convolution_of(op, images, k, y), images.data, kernel.data, dense.data());
  index_t const row = y.stored[2] * y.stored[3], strides[]{y.stored[1] * row, row, y.stored[3], 1};
  T* const first = y.data + y.lower[1] * row + y.lower[2] * y.stored[3];
  kernels_detail::loop_nest<2> const loops[]{
      kernels_detail::merge_loops<2>(own, {kernels_detail::row_major_strides(own).stride, strides})};
  kernels_detail::strided_copy(space, dense.data(), first, loops);
}
template <int Stride, int Dilation, nn::padding Edge, class L, class S, class T>
void run(ops_detail::conv2d_halo_pullback_op<0, Stride, Dilation, Edge, L> const& op, S const& space,
         scratch_memory memory, stored_shard<T> const& g, stored_shard<T const> const& ct,
         stored_shard<T const> const& kernel) {
  convolve_images_vjp(space, memory, kernels_detail::convolution_of(op, g, kernel.local_extents(), ct), ct.data,
                      kernel.data, g.data);
}
template <int Stride, int Dilation, nn::padding Edge, class L, class S, class T>
void run(ops_detail::conv2d_halo_pullback_op<1, Stride, Dilation, Edge, L> const& op, S const& space,
         scratch_memory memory, stored_shard<T> const& g, stored_shard<T const> const& images,
         stored_shard<T const> const& ct) {
  convolve_kernel_vjp(space, memory, kernels_detail::convolution_of(op, images, g.local_extents(), ct), images.data,
                      ct.data, g.data);
}

}  // namespace ashlar::kernels
