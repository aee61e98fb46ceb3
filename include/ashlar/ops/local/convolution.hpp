// Convolution of row-major images [n][h][w][channels] by matrix products.
#pragma once
#include "ashlar/layout/window.hpp"
#include "ashlar/ops/local/blas.hpp"
#include "ashlar/ops/local/elementwise.hpp"
#include "ashlar/tensor/boxes.hpp"
#include "ashlar/tensor/storage.hpp"

namespace ashlar::local {

/// Images [n][rows.n][columns.n][channels] and a kernel [rows.size][columns.size][channels][filters].
struct convolution {
  index_t images = 0;
  windows rows, columns;
  index_t channels = 0, filters = 0;

  /// Elements under one position of the kernel, and positions in one image.
  KOKKOS_FUNCTION index_t patch() const { return rows.size * columns.size * channels; }
  KOKKOS_FUNCTION index_t positions() const { return rows.count() * columns.count(); }
  KOKKOS_FUNCTION index_t image_size() const { return rows.n * columns.n * channels; }
  /// True where patches are the elements of a position: the product needs no copies.
  bool is_product() const { return rows.size == 1 && columns.size == 1 && rows.stride == 1 && columns.stride == 1; }
};

}  // namespace ashlar::local

namespace ashlar::detail {

using local::convolution;

// Elements of patches that are held at once: a part of a core's cache, or enough to fill a device.
template <class Space>
inline constexpr index_t patch_elements = runs_in_caller<Space> ? 1 << 16 : 1 << 25;

// Of the products that sum over patches the small ones are faster, which BLAS computes without copies of its own (OpenBLAS
// up to 10^6 multiplications).
template <class Space>
index_t patch_elements_of_sums(convolution const& g) {
  return std::min<index_t>(patch_elements<Space>, std::max<index_t>(1000000 / std::max<index_t>(g.filters, 1), 1));
}

/// `count` pieces of patches, one behind the other in a row of positions: `length` elements each that lie together in the
/// image, from offset `image` on, or beyond an edge, where that is -1.
struct patch_pieces {
  index_t patch, image, length, count;
};

/// Visits all pieces of the patches of positions [begin, end): rows of a window, or single elements of them where the
/// kernel is dilated. Pieces that an edge cuts come one by one.
template <class Visit>
void for_each_piece(convolution const& g, index_t begin, index_t end, Visit const& visit) {
  windows const& w = g.columns;
  index_t const across = w.count(), c = g.channels, run = w.dilation == 1 ? w.size : 1;
  for (index_t p = begin, stop; p < end; p = stop) {
    index_t const i = p / across, first = p % across, last = std::min(across, first + end - p);
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
          index_t const from = x + j * w.stride, left = std::clamp<index_t>(-from, 0, run), right = std::clamp<index_t>(w.n - from, left, run);
          index_t const to = at + j * g.patch();
          if (left > 0) visit({to, -1, left * c, 1});
          if (right > left) visit({to + left * c, (row + from + left) * c, (right - left) * c, 1});
          if (run > right) visit({to + right * c, -1, (run - right) * c, 1});
        };
        // Positions [inside, outside) see no edge.
        index_t const inside = std::clamp<index_t>(x < 0 ? (-x + w.stride - 1) / w.stride : 0, first, last);
        index_t const outside = std::clamp<index_t>(w.n - run - x < 0 ? 0 : (w.n - run - x) / w.stride + 1, inside, last);
        for (index_t j = first; j < inside; ++j) cut(j);
        if (outside > inside) visit({at + inside * g.patch(), (row + x + inside * w.stride) * c, run * c, outside - inside});
        for (index_t j = outside; j < last; ++j) cut(j);
      }
    }
  }
}

/// Copies pieces of a length that the compiler knows: of a few elements each, where a call or a loop would cost more.
template <int Length, class T>
void copy_short_pieces(patch_pieces const& p, index_t step, index_t image_step, T const* image, T* patches) {
  T const* from = image + p.image;
  T* to = patches + p.patch;
  for (index_t n = 0; n < p.count; ++n, from += image_step, to += step)
    for (int i = 0; i < Length; ++i) to[i] = from[i];
}

/// Patches of the positions [begin, end) of one image, one a row.
template <class T>
void copy_patches(convolution const& g, T const* image, index_t begin, index_t end, T* patches) {
  index_t const step = g.patch(), image_step = g.columns.stride * g.channels;
  for_each_piece(g, begin, end, [&](patch_pieces const& p) {
    if (p.image < 0) {
      for (index_t n = 0; n < p.count; ++n) std::fill_n(patches + p.patch + n * step, p.length, T(0));
      return;
    }
    switch (p.length) {
      case 1: return copy_short_pieces<1>(p, step, image_step, image, patches);
      case 2: return copy_short_pieces<2>(p, step, image_step, image, patches);
      case 3: return copy_short_pieces<3>(p, step, image_step, image, patches);
      case 5: return copy_short_pieces<5>(p, step, image_step, image, patches);
      default:
        for (index_t n = 0; n < p.count; ++n) std::copy_n(image + p.image + n * image_step, p.length, patches + p.patch + n * step);
    }
  });
}
/// Adds patches to the image that they would be copies of.
template <class T>
void add_patches(convolution const& g, T const* patches, index_t begin, index_t end, T* image) {
  index_t const step = g.patch(), image_step = g.columns.stride * g.channels;
  for_each_piece(g, begin, end, [&](patch_pieces const& p) {
    if (p.image < 0) return;
    for (index_t n = 0; n < p.count; ++n) {
      T const* const from = patches + p.patch + n * step;
      T* const sum = image + p.image + n * image_step;
      ASHLAR_INDEPENDENT
      for (index_t i = 0; i < p.length; ++i) sum[i] += from[i];
    }
  });
}

/// A task copies one element of the patches of some images.
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
/// A task sums one element of the images over all patches that it is in.
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
        sum += patches[((n * g.rows.count() + i) * g.columns.count() + j) * g.patch() + (k * g.columns.size + l) * g.channels + c];
      }
    }
    images[task] = sum;
  }
};

/// Calls body(first image, images, begin, end) for parts of the images [first, last) whose patches fit the buffer:
/// positions [begin, end) of one image, or several images whole.
template <class Body>
void for_each_part(convolution const& g, index_t limit, index_t first, index_t last, Body const& body) {
  index_t const positions = g.positions(), whole = limit / std::max<index_t>(positions * g.patch(), 1);
  if (whole > 0) {
    for (; first < last; first += whole) body(first, std::min(whole, last - first), index_t{0}, positions);
    return;
  }
  // Parts of one image, of nearly equal size.
  index_t const parts = std::min(positions, (positions * g.patch() + limit - 1) / limit);
  for (; first < last; ++first)
    for (index_t q = 0; q < parts; ++q) body(first, index_t{1}, positions * q / parts, positions * (q + 1) / parts);
}
inline index_t largest_part(convolution const& g, index_t limit, index_t images) {
  index_t largest = 0;
  for_each_part(g, limit, 0, images,
                [&](index_t, index_t n, index_t begin, index_t end) { largest = std::max(largest, n * (end - begin)); });
  return largest;
}

/// On devices: calls body(first image, images, patches) for as many images at once as have room for their patches.
template <class T, class Space, class Body>
void for_each_batch(char const* label, Space const& space, convolution const& g, Body const& body) {
  index_t const elements = g.positions() * g.patch();
  index_t const at_once = std::clamp<index_t>(patch_elements<Space> / std::max<index_t>(elements, 1), 1, std::max<index_t>(g.images, 1));
  pool_scratch<Space, T> const patches(at_once * elements);
  for (index_t n = 0; n < g.images; n += at_once) body(n, std::min(at_once, g.images - n), patches.data());
  space.fence(label);
}

template <class T>
struct convolution_on_host {
  convolution g;

  void copy(T const* images, index_t n, index_t begin, index_t end, T* patches) const {
    for (index_t i = 0; i < n; ++i)
      copy_patches(g, images + i * g.image_size(), begin, end, patches + i * (end - begin) * g.patch());
  }
  void add(T const* patches, index_t n, index_t begin, index_t end, T* images) const {
    for (index_t i = 0; i < n; ++i)
      add_patches(g, patches + i * (end - begin) * g.patch(), begin, end, images + i * g.image_size());
  }
};

/// Images that are worth a thread of their own.
inline index_t images_per_thread(convolution const& g) {
  return elements_per_thread / std::max<index_t>(g.positions() * g.patch(), 1) + 1;
}

/// On how many slices of the batch the kernel's cotangent is summed apart: sizes alone decide, so that every number of
/// threads gives the same bits.
inline index_t slices_of_batch(convolution const& g) {
  index_t const products = g.images * g.positions() * g.patch() * g.filters;
  return std::clamp<index_t>(products >> 20, 1, std::min<index_t>(std::max<index_t>(g.images, 1), 8));
}

}  // namespace ashlar::detail

namespace ashlar::local {

/// result[n, i, j, o] = sum over k, l, c of images[n, i s + k d - before, j s + l d - before, c] kernel[k, l, c, o], where
/// zeros lie beyond the edges.
/// Shape: result [images][rows.count()][columns.count()][filters]. Pre: the result overlaps no operand
/// Cost: on the host patches of positions that fit a part of the cache are copied together and multiplied, by each thread
/// for images of its own; on devices of as many images as fit 2^25 elements. A kernel of one element is a product.
template <class Space, BlasScalar T>
void convolve(Space const& space, convolution const& g, T const* images, T const* kernel, T* result) {
  index_t const k = g.patch(), o = g.filters, positions = g.positions();
  if (g.is_product() || k == 0)
    return gemm(space, g.images * positions, o, k, T(1), matrix<T>{images, k}, matrix<T>{kernel, o}, T(0), result, o);
  auto const multiply = [&](T const* patches, index_t first, index_t rows, index_t begin) {
    gemm(space, rows, o, k, T(1), matrix<T>{patches, k}, matrix<T>{kernel, o}, T(0), result + (first * positions + begin) * o, o);
  };
  if constexpr (detail::runs_in_caller<Space>) {
    index_t const limit = detail::patch_elements_of_sums<Space>(g);
    detail::one_thread_of_blas const of_each;
    detail::for_ranges("ashlar::convolve", space, g.images, detail::images_per_thread(g), [&](index_t first, index_t last) {
      detail::pool_scratch<Space, T> const patches(detail::largest_part(g, limit, last - first) * k);
      detail::for_each_part(g, limit, first, last, [&](index_t n, index_t count, index_t begin, index_t end) {
        detail::convolution_on_host<T>{g}.copy(images + n * g.image_size(), count, begin, end, patches.data());
        multiply(patches.data(), n, count * (end - begin), begin);
      });
    });
  } else {
    detail::for_each_batch<T>("ashlar::convolve: scratch", space, g, [&](index_t n, index_t count, T* patches) {
      detail::for_elements("ashlar::convolve", space, count * positions * k,
                           detail::copy_patches_kernel<T>{g, images + n * g.image_size(), patches});
      multiply(patches, n, count * positions, 0);
    });
  }
}

/// The cotangent of the images from that of the result: the transpose of convolve in its images.
template <class Space, BlasScalar T>
void convolve_images_vjp(Space const& space, convolution const& g, T const* d_result, T const* kernel, T* d_images) {
  index_t const k = g.patch(), o = g.filters, positions = g.positions();
  auto const multiply = [&](T* patches, index_t first, index_t rows, index_t begin) {
    gemm(space, rows, k, o, T(1), matrix<T>{d_result + (first * positions + begin) * o, o}, matrix<T>{kernel, o, true}, T(0), patches, k);
  };
  if (g.is_product()) return multiply(d_images, 0, g.images * positions, 0);
  if constexpr (detail::runs_in_caller<Space>) {
    index_t const limit = detail::patch_elements<Space>;
    detail::one_thread_of_blas const of_each;
    detail::for_ranges("ashlar::convolve_vjp", space, g.images, detail::images_per_thread(g), [&](index_t first, index_t last) {
      std::fill_n(d_images + first * g.image_size(), (last - first) * g.image_size(), T(0));
      detail::pool_scratch<Space, T> const patches(detail::largest_part(g, limit, last - first) * k);
      detail::for_each_part(g, limit, first, last, [&](index_t n, index_t count, index_t begin, index_t end) {
        multiply(patches.data(), n, count * (end - begin), begin);
        detail::convolution_on_host<T>{g}.add(patches.data(), count, begin, end, d_images + n * g.image_size());
      });
    });
  } else {
    detail::for_each_batch<T>("ashlar::convolve_vjp: scratch", space, g, [&](index_t n, index_t count, T* patches) {
      multiply(patches, n, count * positions, 0);
      detail::for_elements("ashlar::convolve_vjp", space, count * g.image_size(),
                           detail::add_patches_kernel<T>{g, patches, d_images + n * g.image_size()});
    });
  }
}

/// The cotangent of the kernel: the transpose of convolve in its kernel, summed over blocks of the batch.
/// Post: the same bits for every number of the host's threads.
template <class Space, BlasScalar T>
void convolve_kernel_vjp(Space const& space, convolution const& g, T const* images, T const* d_result, T* d_kernel) {
  index_t const k = g.patch(), o = g.filters, positions = g.positions();
  auto const multiply = [&](T const* patches, index_t first, index_t rows, index_t begin, T beta, T* sum) {
    gemm(space, k, o, rows, T(1), matrix<T>{patches, k, true}, matrix<T>{d_result + (first * positions + begin) * o, o}, beta, sum, o);
  };
  fill(space, d_kernel, k * o, T(0));
  if (g.images * positions == 0) return;
  if (g.is_product()) return multiply(images, 0, g.images * positions, 0, T(0), d_kernel);
  if constexpr (detail::runs_in_caller<Space>) {
    index_t const limit = detail::patch_elements_of_sums<Space>(g);
    detail::one_thread_of_blas const of_each;
    index_t const slices = detail::slices_of_batch(g);
    detail::pool_scratch<Space, T> const sums(slices * k * o);
    detail::for_ranges("ashlar::convolve_vjp", space, slices, 1, [&](index_t from, index_t to) {
      detail::pool_scratch<Space, T> const patches(detail::largest_part(g, limit, (g.images + slices - 1) / slices) * k);
      for (index_t s = from; s < to; ++s) {
        T beta(0);
        detail::for_each_part(g, limit, g.images * s / slices, g.images * (s + 1) / slices,
                              [&](index_t n, index_t count, index_t begin, index_t end) {
                                detail::convolution_on_host<T>{g}.copy(images + n * g.image_size(), count, begin, end, patches.data());
                                multiply(patches.data(), n, count * (end - begin), begin, beta, sums.data() + s * k * o);
                                beta = T(1);
                              });
      }
    });
    for (index_t s = 0; s < slices; ++s) {
      T const* const sum = sums.data() + s * k * o;
      ASHLAR_INDEPENDENT
      for (index_t i = 0; i < k * o; ++i) d_kernel[i] += sum[i];
    }
  } else {
    detail::for_each_batch<T>("ashlar::convolve_vjp: scratch", space, g, [&](index_t n, index_t count, T* patches) {
      detail::for_elements("ashlar::convolve_vjp", space, count * positions * k,
                           detail::copy_patches_kernel<T>{g, images + n * g.image_size(), patches});
      multiply(patches, n, count * positions, 0, T(1), d_kernel);
    });
  }
}

}  // namespace ashlar::local
