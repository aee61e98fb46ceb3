// SPDX-License-Identifier: BSL-1.0
// Convolution on a device by its BLAS. Copies and multiplies the patches of as many images as there is room for.
#pragma once
#include "ashlar/kernels/products/blas.hpp"
#include "ashlar/kernels/nn/patches.hpp"
#include "ashlar/kernels/scratch.hpp"
#include "ashlar/kernels/strided_copy.hpp"

namespace ashlar::kernels_detail {

/// Each task copies one element of the patches of some images.
template <class T>
struct copy_patches_kernel {
  convolution g;
  T const* images;
  T* patches;

  KOKKOS_FUNCTION void operator()(index_t task) const {
    index_t const c = task % g.channels, l = task / g.channels % g.columns.size;
    index_t const k = task / (g.channels * g.columns.size) % g.rows.size, p = task / g.patch();
    index_t const j = p % g.columns.count(), i = p / g.columns.count() % g.rows.count(), n = p / g.positions();
    index_t const y = g.rows.first(i) + k * g.rows.dilation, x = g.columns.first(j) + l * g.columns.dilation;
    bool const inside = y >= 0 && y < g.rows.n && x >= 0 && x < g.columns.n;
    patches[task] = inside ? images[((n * g.rows.n + y) * g.columns.n + x) * g.channels + c] : T(0);
  }
};
/// Each task sums one element of the images over all patches that contain it.
template <class T>
struct add_patches_kernel {
  convolution g;
  T const* patches;
  T* images;

  KOKKOS_FUNCTION void operator()(index_t task) const {
    index_t const c = task % g.channels, x = task / g.channels % g.columns.n;
    index_t const y = task / (g.channels * g.columns.n) % g.rows.n, n = task / g.image_size();
    T sum(0);
    for (index_t k = 0; k < g.rows.size; ++k) {
      index_t const up = y + g.rows.before() - k * g.rows.dilation, i = up / g.rows.stride;
      if (up < 0 || up % g.rows.stride != 0 || i >= g.rows.count()) continue;
      for (index_t l = 0; l < g.columns.size; ++l) {
        index_t const left = x + g.columns.before() - l * g.columns.dilation, j = left / g.columns.stride;
        if (left < 0 || left % g.columns.stride != 0 || j >= g.columns.count()) continue;
        sum += patches[((n * g.rows.count() + i) * g.columns.count() + j) * g.patch() +
                       (k * g.columns.size + l) * g.channels + c];
      }
    }
    images[task] = sum;
  }
};

/// kernels::convolve and its transposes, for kernels of more than one element.
template <class Space, class T>
struct convolution_by_device_blas {
  Space space;
  kernels::scratch_memory memory;
  convolution g;
  index_t patch_elements = 1 << 25;  // in memory at once: enough to fill a device

  void result(T const* images, T const* kernel, T* result) const {
    for_each_batch("ashlar::convolve: scratch", [&](index_t n, index_t count, T* patches) {
      copy(images, n, count, patches);
      index_t const k = g.patch(), o = g.filters;
      kernels::gemm(space, count * g.positions(), o, k, T(1), matrix<T>{patches, k}, matrix<T>{kernel, o}, T(0),
                    result + n * g.positions() * o, o);
    });
  }
  void images(T const* d_result, T const* kernel, T* d_images) const {
    for_each_batch("ashlar::convolve_vjp: scratch", [&](index_t n, index_t count, T* patches) {
      index_t const k = g.patch(), o = g.filters;
      kernels::gemm(space, count * g.positions(), k, o, T(1), matrix<T>{d_result + n * g.positions() * o, o},
                    matrix<T>{kernel, o, true}, T(0), patches, k);
      for_elements("ashlar::convolve_vjp", space, count * g.image_size(),
                   add_patches_kernel<T>{g, patches, d_images + n * g.image_size()});
    });
  }
  void kernel(T const* images, T const* d_result, T* d_kernel) const {
    kernels::fill(space, d_kernel, g.patch() * g.filters, T(0));
    for_each_batch("ashlar::convolve_vjp: scratch", [&](index_t n, index_t count, T* patches) {
      copy(images, n, count, patches);
      index_t const k = g.patch(), o = g.filters;
      kernels::gemm(space, k, o, count * g.positions(), T(1), matrix<T>{patches, k, true},
                    matrix<T>{d_result + n * g.positions() * o, o}, T(1), d_kernel, o);
    });
  }

 private:
  /// Calls body(first image, images, patches) for batches of images whose patches fit the buffer.
  template <class Body>
  void for_each_batch(char const* label, Body const& body) const {
    index_t const elements = g.positions() * g.patch();
    index_t const at_once =
        std::clamp<index_t>(patch_elements / std::max<index_t>(elements, 1), 1, std::max<index_t>(g.images, 1));
    auto const patches = memory.array<T>(at_once * elements);
    for (index_t n = 0; n < g.images; n += at_once) body(n, (std::min)(at_once, g.images - n), patches.data());
    space.fence(label);
  }
  void copy(T const* images, index_t n, index_t count, T* patches) const {
    for_elements("ashlar::convolve: patches", space, count * g.positions() * g.patch(),
                 copy_patches_kernel<T>{g, images + n * g.image_size(), patches});
  }
};

}  // namespace ashlar::kernels_detail
