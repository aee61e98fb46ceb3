// SPDX-License-Identifier: BSL-1.0
// Convolution on the host by BLAS. Patches of positions that fit a part of the cache are copied together and
// multiplied. Each thread handles images of its own.
#pragma once
#include "ashlar/kernels/products/blas.hpp"
#include "ashlar/kernels/nn/patches.hpp"
#include "ashlar/kernels/scratch.hpp"

namespace ashlar::kernels_detail {

// The number of patch elements in memory at once: a part of a core's cache.
inline constexpr index_t patch_elements_in_cache = 1 << 16;

// The same for products that sum over patches. Small ones are faster, since BLAS computes them without copies of its
// own (OpenBLAS up to 10^6 multiplications).
inline index_t patch_elements_of_sums(convolution const& g) {
  return std::min<index_t>(patch_elements_in_cache, std::max<index_t>(1000000 / std::max<index_t>(g.filters, 1), 1));
}

/// Calls body(first image, images, begin, end) for parts of the images [first, last) whose patches fit the buffer. A
/// part is the positions [begin, end) of one image, or several whole images.
template <class Body>
void for_each_part(convolution const& g, index_t limit, index_t first, index_t last, Body const& body) {
  index_t const positions = g.positions(), whole = limit / std::max<index_t>(positions * g.patch(), 1);
  if (whole > 0) {
    for (; first < last; first += whole) body(first, (std::min)(whole, last - first), index_t{0}, positions);
    return;
  }
  // Cuts each image into parts of nearly equal size.
  index_t const parts = (std::min)(positions, (positions * g.patch() + limit - 1) / limit);
  for (; first < last; ++first)
    for (index_t q = 0; q < parts; ++q) body(first, index_t{1}, positions * q / parts, positions * (q + 1) / parts);
}
inline index_t largest_part(convolution const& g, index_t limit, index_t images) {
  index_t largest = 0;
  for_each_part(g, limit, 0, images, [&](index_t, index_t n, index_t begin, index_t end) {
    largest = (std::max)(largest, n * (end - begin));
  });
  return largest;
}

/// kernels::convolve and its transposes, for kernels of more than one element, over images and positions.
template <class Space, class T>
struct convolution_by_blas {
  Space space;
  kernels::scratch_memory memory;
  convolution g;

  void result(T const* images, T const* kernel, T* result) const {
    index_t const k = g.patch(), o = g.filters, limit = patch_elements_of_sums(g);
    one_thread_of_blas const of_each;
    for_ranges("ashlar::convolve", space, g.images, images_per_thread(g), [&](index_t first, index_t last) {
      auto const patches = memory.array<T>(largest_part(g, limit, last - first) * k);
      for_each_part(g, limit, first, last, [&](index_t n, index_t count, index_t begin, index_t end) {
        copy_patches(g, images + n * g.image_size(), count, begin, end, patches.data());
        gemm_in_thread(count * (end - begin), o, k, T(1), matrix<T>{patches.data(), k}, matrix<T>{kernel, o}, T(0),
                       result + (n * g.positions() + begin) * o, o);
      });
    });
  }

  void images(T const* d_result, T const* kernel, T* d_images) const {
    index_t const k = g.patch(), o = g.filters, limit = patch_elements_in_cache;
    one_thread_of_blas const of_each;
    for_ranges("ashlar::convolve_vjp", space, g.images, images_per_thread(g), [&](index_t first, index_t last) {
      std::fill_n(d_images + first * g.image_size(), (last - first) * g.image_size(), T(0));
      auto const patches = memory.array<T>(largest_part(g, limit, last - first) * k);
      for_each_part(g, limit, first, last, [&](index_t n, index_t count, index_t begin, index_t end) {
        gemm_in_thread(count * (end - begin), k, o, T(1), matrix<T>{d_result + (n * g.positions() + begin) * o, o},
                       matrix<T>{kernel, o, true}, T(0), patches.data(), k);
        add_patches(g, patches.data(), count, begin, end, d_images + n * g.image_size());
      });
    });
  }

  void kernel(T const* images, T const* d_result, T* d_kernel) const {
    index_t const k = g.patch(), o = g.filters, limit = patch_elements_of_sums(g), slices = slices_of_batch(g);
    one_thread_of_blas const of_each;
    auto const sums = memory.array<T>(slices * k * o);
    for_ranges("ashlar::convolve_vjp", space, slices, 1, [&](index_t from, index_t to) {
      auto const patches = memory.array<T>(largest_part(g, limit, (g.images + slices - 1) / slices) * k);
      for (index_t s = from; s < to; ++s) {
        T beta(0);
        for_each_part(g, limit, g.images * s / slices, g.images * (s + 1) / slices,
                      [&](index_t n, index_t count, index_t begin, index_t end) {
                        copy_patches(g, images + n * g.image_size(), count, begin, end, patches.data());
                        gemm_in_thread(k, o, count * (end - begin), T(1), matrix<T>{patches.data(), k, true},
                                       matrix<T>{d_result + (n * g.positions() + begin) * o, o}, beta,
                                       sums.data() + s * k * o, o);
                        beta = T(1);
                      });
      }
    });
    add_slices(sums.data(), slices, k * o, d_kernel);
  }
};

}  // namespace ashlar::kernels_detail
