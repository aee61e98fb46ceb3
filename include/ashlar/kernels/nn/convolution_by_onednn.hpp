// SPDX-License-Identifier: BSL-1.0
// Convolution on the host by oneDNN, if it has an implementation made for the sizes and the processor.
#pragma once
#include "ashlar/kernels/nn/patches.hpp"
#include "ashlar/kernels/scratch.hpp"

#include <atomic>
#include <climits>
#include <cstddef>
#include <memory>

namespace ashlar::kernels_detail {

/// The array that is computed from the two others: the result, the images' cotangent or the kernel's cotangent.
enum class convolution_pass { result, images, kernel };

/// kernels::convolve and its transposes by oneDNN, for elements of type float. Each returns false, and does nothing, if
/// oneDNN has no fast implementation.
/// Pre: there are images, positions, channels and filters.
/// Error: ashlar::error if oneDNN fails.
template <class Space, class T>
struct convolution_by_onednn {
  Space space;
  kernels::scratch_memory memory;
  convolution g;
  bool result(T const*, T const*, T*) const { return false; }
  bool images(T const*, T const*, T*) const { return false; }
  bool kernel(T const*, T const*, T*) const { return false; }
};

#if defined(ASHLAR_ONEDNN) && defined(KOKKOS_ENABLE_OPENMP)
/// A convolution of one pass and shape by one thread, and its scratch memory in bytes.
class onednn_convolution;
struct found_onednn_convolution {
  std::shared_ptr<onednn_convolution const> convolution;  ///< null if oneDNN has no fast one
  std::size_t scratch = 0;
};

/// The convolution of these sizes, from a cache.
ASHLAR_INLINE found_onednn_convolution find_onednn_convolution(convolution_pass pass, convolution const& g);
/// Computes the array of the pass; returns oneDNN's status, 0 if it succeeds. Several threads may call it at once, each
/// with scratch of its own.
ASHLAR_INLINE int run_onednn(onednn_convolution const& c, float* images, float* kernel, float* result, char* scratch);
/// Throws ashlar::error unless the status is 0.
ASHLAR_INLINE void check_onednn_status(int status);

template <class Space>
  requires(runs_in_caller<Space>)
struct convolution_by_onednn<Space, float> {
  Space space;
  kernels::scratch_memory memory;
  convolution g;

  bool result(float const* images, float const* kernel, float* result) const {
    return for_parts("ashlar::convolve", convolution_pass::result, parts(),
                     [&](auto const& c, index_t, index_t n, char* scratch) {
                       return run_onednn(c, of_image(images, n), mutable_(kernel), of_result(result, n), scratch);
                     });
  }
  bool images(float const* d_result, float const* kernel, float* d_images) const {
    return for_parts("ashlar::convolve_vjp", convolution_pass::images, parts(),
                     [&](auto const& c, index_t, index_t n, char* scratch) {
                       return run_onednn(c, of_image(d_images, n), mutable_(kernel), of_result(d_result, n), scratch);
                     });
  }
  bool kernel(float const* images, float const* d_result, float* d_kernel) const {
    index_t const slices = slices_of_batch(g), size = g.patch() * g.filters;
    auto const sums = memory.array<float>(slices * size);
    bool const done =
        for_parts("ashlar::convolve_vjp", convolution_pass::kernel, slices,
                  [&](auto const& c, index_t s, index_t n, char* scratch) {
                    return run_onednn(c, of_image(images, n), sums.data() + s * size, of_result(d_result, n), scratch);
                  });
    if (done) add_slices(sums.data(), slices, size, d_kernel);
    return done;
  }

 private:
  // oneDNN's interface has no const.
  static float* mutable_(float const* p) { return const_cast<float*>(p); }
  float* of_image(float const* p, index_t n) const { return mutable_(p) + n * g.image_size(); }
  float* of_result(float const* p, index_t n) const { return mutable_(p) + n * g.positions() * g.filters; }

  index_t parts() const { return std::clamp<index_t>(g.images / images_per_thread(g), 1, space.concurrency()); }

  /// Cuts the batch into parts. One thread computes a part by one(convolution, part, first image, scratch).
  template <class One>
  bool for_parts(char const* label, convolution_pass pass, index_t parts, One const& one) const {
    if (g.images * (std::max)(g.image_size(), g.positions() * g.filters) > INT_MAX)
      return false;  // some of its offsets are int
    auto const of_images = [&](index_t n) {
      convolution part = g;
      part.images = n;
      return find_onednn_convolution(pass, part);
    };
    index_t const least = g.images / parts;
    auto const smaller = of_images(least), larger = g.images % parts ? of_images(least + 1) : smaller;
    if (!smaller.convolution || !larger.convolution) return false;
    std::atomic<int> status = 0;  // no exception may leave a kernel
    for_ranges(label, space, parts, 1, [&](index_t begin, index_t end) {
      auto const scratch = memory.array<char>((std::max)(smaller.scratch, larger.scratch));
      for (index_t p = begin; p < end; ++p) {
        index_t const first = g.images * p / parts, n = g.images * (p + 1) / parts - first;
        int const s = one(*(n == least ? smaller : larger).convolution, p, first, scratch.data());
        if (s != 0) status = s;
      }
    });
    check_onednn_status(status);
    return true;
  }
};
#endif

}  // namespace ashlar::kernels_detail

#if ASHLAR_IMPL
#include "ashlar/kernels/nn/impl/convolution_by_onednn.ipp"
#endif
