// Windows that slide over a dimension, and the layout rules of what slides: convolution and pooling, channels last.
#pragma once
#include "ashlar/layout/elementwise.hpp"

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

namespace detail {
constexpr ruled whole_in(layout_value const& x, int from, int to) {
  for (int d = from; d <= to; ++d)
    if (x.dim[d].size) return ruled::wrong(fault::sharded_dimension, x.dim[d][0]);
  return {};
}
}  // namespace detail

/// The layout of the convolution of x (n, h, w, i) with a kernel (k, l, i, o) into (n, h, w, o), and, by other equations
/// of the same letters, of its transposes: as einsum, where the dimensions h, w, k and l are whole.
/// Example: layout<"data", none, none, "model"> and layout<none, none, "model", none> give
/// partial<layout<"data", none, none, none>, "model">
constexpr ruled convolution_rule(einsum_equation const& e, layout_value const& a, layout_value const& b) {
  for (int o = 0; o < 2; ++o) {
    bool const is_kernel = e.in[o].label[0] == 'k';
    ruled const r = detail::whole_in(o == 0 ? a : b, is_kernel ? 0 : 1, is_kernel ? 1 : 2);
    if (r.why != fault::fits) return r;
  }
  return einsum_rule(e, a, b);
}

/// The layout of windows of x (n, h, w, c) pooled: that of x, where h and w are whole.
constexpr ruled pooling_rule(linearity kind, layout_value const& x) {
  ruled const r = detail::whole_in(x, 1, 2);
  return r.why == fault::fits ? elementwise_rule(kind, x) : r;
}

}  // namespace ashlar
