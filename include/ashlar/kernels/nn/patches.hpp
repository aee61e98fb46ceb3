// SPDX-License-Identifier: BSL-1.0
// Convolutions of row-major images [n][h][w][channels], and the patches of images that a kernel multiplies.
#pragma once
#include "ashlar/layout/window.hpp"
#include "ashlar/kernels/for_elements.hpp"
#include <algorithm>

namespace ashlar::kernels {

/// Images [n][rows.n][columns.n][channels] and a kernel [rows.size][columns.size][channels][filters].
struct convolution {
  index_t images = 0;
  layout_detail::windows rows, columns;
  index_t channels = 0, filters = 0;

  /// Elements under one position of the kernel, and positions in one image.
  KOKKOS_FUNCTION index_t patch() const { return rows.size * columns.size * channels; }
  KOKKOS_FUNCTION index_t positions() const { return rows.count() * columns.count(); }
  KOKKOS_FUNCTION index_t image_size() const { return rows.n * columns.n * channels; }
  /// True if a patch is one pixel: then the product needs no copies.
  bool is_product() const { return takes_each_element(rows) && takes_each_element(columns); }

 private:
  static bool takes_each_element(layout_detail::windows const& w) {
    return w.size == 1 && w.stride == 1 && w.before() == 0 && w.count() == w.n;
  }
};

}  // namespace ashlar::kernels

namespace ashlar::kernels_detail {

using kernels::convolution;

/// `count` pieces of patches, at consecutive positions of a row. Each piece has `length` elements that are contiguous
/// in the image. `image` is the offset of the first piece there, or -1 if the pieces are beyond an edge.
struct patch_pieces {
  index_t patch, image, length, count;
};

/// Visits all pieces of the patches of positions [begin, end): rows of a window, or single pixels of them if the kernel
/// is dilated. Pieces that an edge cuts come one by one.
template <class Visit>
void for_each_patch_piece(convolution const& g, index_t begin, index_t end, Visit const& visit) {
  windows const& w = g.columns;
  index_t const across = w.count(), c = g.channels, run = w.dilation == 1 ? w.size : 1;
  for (index_t p = begin, stop; p < end; p = stop) {
    index_t const i = p / across, first = p % across, last = (std::min)(across, first + end - p);
    stop = p + last - first;
    for (index_t k = 0; k < g.rows.size; ++k) {
      index_t const y = g.rows.first(i) + k * g.rows.dilation;
      for (index_t l = 0; l < w.size; l += run) {
        index_t const at = (p - begin - first) * g.patch() + (k * w.size + l) * c;  // of position 0
        index_t const x = l * w.dilation - w.before(), row = y * w.n;
        if (y < 0 || y >= g.rows.n) {
          visit({at + first * g.patch(), -1, run * c, last - first});
          continue;
        }
        auto const cut = [&](index_t j) {
          index_t const from = x + j * w.stride, left = std::clamp<index_t>(-from, 0, run),
                        right = std::clamp<index_t>(w.n - from, left, run);
          index_t const to = at + j * g.patch();
          if (left > 0) visit({to, -1, left * c, 1});
          if (right > left) visit({to + left * c, (row + from + left) * c, (right - left) * c, 1});
          if (run > right) visit({to + right * c, -1, (run - right) * c, 1});
        };
        // Positions [inside, outside) touch no edge.
        index_t const inside = std::clamp<index_t>(x < 0 ? (-x + w.stride - 1) / w.stride : 0, first, last);
        index_t const outside =
            std::clamp<index_t>(w.n - run - x < 0 ? 0 : (w.n - run - x) / w.stride + 1, inside, last);
        for (index_t j = first; j < inside; ++j) cut(j);
        if (outside > inside)
          visit({at + inside * g.patch(), (row + x + inside * w.stride) * c, run * c, outside - inside});
        for (index_t j = outside; j < last; ++j) cut(j);
      }
    }
  }
}

/// Copies pieces of a constant length, of a few elements each: a call or a loop would cost more.
template <int Length, class T>
void copy_short_pieces(patch_pieces const& p, index_t step, index_t image_step, T const* image, T* patches) {
  T const* from = image + p.image;
  T* to = patches + p.patch;
  for (index_t n = 0; n < p.count; ++n, from += image_step, to += step)
    for (int i = 0; i < Length; ++i) to[i] = from[i];
}

/// Copies the patches of positions [begin, end) of one image, one patch per row.
template <class T>
void copy_patches(convolution const& g, T const* image, index_t begin, index_t end, T* patches) {
  index_t const step = g.patch(), image_step = g.columns.stride * g.channels;
  for_each_patch_piece(g, begin, end, [&](patch_pieces const& p) {
    if (p.image < 0) {
      for (index_t n = 0; n < p.count; ++n) std::fill_n(patches + p.patch + n * step, p.length, T(0));
      return;
    }
    switch (p.length) {
      case 1:
        return copy_short_pieces<1>(p, step, image_step, image, patches);
      case 2:
        return copy_short_pieces<2>(p, step, image_step, image, patches);
      case 3:
        return copy_short_pieces<3>(p, step, image_step, image, patches);
      case 5:
        return copy_short_pieces<5>(p, step, image_step, image, patches);
      default:
        for (index_t n = 0; n < p.count; ++n)
          std::copy_n(image + p.image + n * image_step, p.length, patches + p.patch + n * step);
    }
  });
}
/// Adds patches to the image: the transpose of copy_patches.
template <class T>
void add_patches(convolution const& g, T const* patches, index_t begin, index_t end, T* image) {
  index_t const step = g.patch(), image_step = g.columns.stride * g.channels;
  for_each_patch_piece(g, begin, end, [&](patch_pieces const& p) {
    if (p.image < 0) return;
    for (index_t n = 0; n < p.count; ++n) {
      T const* const from = patches + p.patch + n * step;
      T* const sum = image + p.image + n * image_step;
      ASHLAR_INDEPENDENT
      for (index_t i = 0; i < p.length; ++i) sum[i] += from[i];
    }
  });
}

/// The same for n images, whose patches follow image after image.
template <class T>
void copy_patches(convolution const& g, T const* images, index_t n, index_t begin, index_t end, T* patches) {
  for (index_t i = 0; i < n; ++i)
    copy_patches(g, images + i * g.image_size(), begin, end, patches + i * (end - begin) * g.patch());
}
template <class T>
void add_patches(convolution const& g, T const* patches, index_t n, index_t begin, index_t end, T* images) {
  for (index_t i = 0; i < n; ++i)
    add_patches(g, patches + i * (end - begin) * g.patch(), begin, end, images + i * g.image_size());
}

/// The number of images that are worth a thread of their own.
inline index_t images_per_thread(convolution const& g) {
  return elements_per_thread / std::max<index_t>(g.positions() * g.patch(), 1) + 1;
}

/// The number of slices of the batch over which the kernel's cotangent is summed separately. It depends on the sizes
/// alone, so that every number of threads gives the same bits.
inline index_t slices_of_batch(convolution const& g) {
  index_t const products = g.images * g.positions() * g.patch() * g.filters;
  return std::clamp<index_t>(products >> 20, 1, std::min<index_t>(std::max<index_t>(g.images, 1), 8));
}
template <class T>
void add_slices(T const* sums, index_t slices, index_t n, T* total) {
  std::copy_n(sums, n, total);
  for (index_t s = 1; s < slices; ++s) {
    T const* const sum = sums + s * n;
    ASHLAR_INDEPENDENT
    for (index_t i = 0; i < n; ++i) total[i] += sum[i];
  }
}

}  // namespace ashlar::kernels_detail
