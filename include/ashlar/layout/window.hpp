// SPDX-License-Identifier: BSL-1.0
// Windows that slide over a dimension.
#pragma once
#include "ashlar/config.hpp"

namespace ashlar::nn {

/// The treatment of the edges. `valid`: windows are inside the dimension only. `same`: there is one window per `stride`
/// elements, and windows may extend beyond both edges. If the number of positions outside is odd, the end has one more.
enum class padding { valid, same };

}  // namespace ashlar::nn

namespace ashlar::layout_detail {

/// Windows over a dimension of n elements. A window has `size` elements that are `dilation` apart, and there is a
/// window every `stride` elements. If `number` is not negative, it is the number of windows, and the first one begins
/// `ahead` positions before the first element; otherwise `edge` decides.
/// Post: window i covers the elements i * stride - before() + k * dilation for k in [0, size).
/// Source: the conventions of TensorFlow and Keras.
struct windows {
  index_t n = 0, size = 1, stride = 1, dilation = 1;
  padding edge = padding::valid;
  index_t number = -1, ahead = 0;

  /// Number of positions from the first element of a window to its last, both included.
  ASHLAR_FUNCTION constexpr index_t reach() const { return (size - 1) * dilation + 1; }
  /// Number of windows.
  ASHLAR_FUNCTION constexpr index_t count() const {
    if (number >= 0) return number;
    if (edge == padding::same) return (n + stride - 1) / stride;
    return n < reach() ? 0 : (n - reach()) / stride + 1;
  }
  /// Number of positions of the first window before the first element of the dimension. Negative if it begins after it.
  ASHLAR_FUNCTION constexpr index_t before() const {
    if (number >= 0) return ahead;
    if (edge == padding::valid) return 0;
    index_t const outside = (count() - 1) * stride + reach() - n;
    return outside > 0 ? outside / 2 : 0;
  }
  /// First element of window i. It is negative if it is before the dimension.
  ASHLAR_FUNCTION constexpr index_t first(index_t i) const { return i * stride - before(); }
};

}  // namespace ashlar::layout_detail
