// Windows that slide over a dimension.
#pragma once
#include "ashlar/config.hpp"

namespace ashlar {

/// Where windows may lie: inside only, or beyond both edges so that there is one for every `stride` elements. Where an
/// odd number of elements lies outside, the end has one more than the beginning.
enum class padding { valid, same };

/// Windows of `size` elements, `dilation` apart, over a dimension of n: one every `stride` elements.
/// Post: window i covers the elements i * stride - before() + k * dilation for k in [0, size).
/// Source: the conventions of TensorFlow and Keras.
struct windows {
  index_t n = 0, size = 1, stride = 1, dilation = 1;
  padding edge = padding::valid;

  /// Elements from the first of a window to its last.
  ASHLAR_FUNCTION constexpr index_t reach() const { return (size - 1) * dilation + 1; }
  /// Number of windows.
  ASHLAR_FUNCTION constexpr index_t count() const {
    if (edge == padding::same) return (n + stride - 1) / stride;
    return n < reach() ? 0 : (n - reach()) / stride + 1;
  }
  /// Elements of the first window that lie before the dimension's first.
  ASHLAR_FUNCTION constexpr index_t before() const {
    if (edge == padding::valid) return 0;
    index_t const outside = (count() - 1) * stride + reach() - n;
    return outside > 0 ? outside / 2 : 0;
  }
  /// First element of window i; negative where it lies before the dimension.
  ASHLAR_FUNCTION constexpr index_t first(index_t i) const { return i * stride - before(); }
};

}  // namespace ashlar
