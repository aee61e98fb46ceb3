// SPDX-License-Identifier: BSL-1.0
// Layers of images (batch, height, width, channels): convolution and pooling.
#pragma once
#include "ashlar/train/layers/dense.hpp"

namespace ashlar::train_detail {

constexpr void require_images(shape const& inputs) {
  // clang prints one line of a call in a constant expression.
  // clang-format off
  if (inputs.rank != 3)
    meta_detail::fail("ashlar::training::sequential: a layer of images takes height, width and channels of an example; write sequential<28, 28, 1>(...), and flatten() after such layers alone");
  // clang-format on
}
// The extents of the windows over images.
constexpr shape windows(shape s, index_t size, index_t stride, nn::padding edge) {
  for (int d : {0, 1}) s[d] = layout_detail::windows{.n = s[d], .size = size, .stride = stride, .edge = edge}.count();
  return s;
}

template <text_literal Name, index_t Channels, int Size, int Stride, nn::padding Edge, class Activation, bool Bias>
struct conv2d_layer {
  static constexpr auto name = Name;
  Activation activation;
  initializer first = initializer::glorot_uniform;

  /// The same with other initial values of the kernel.
  constexpr conv2d_layer from(initializer i) const { return {activation, i}; }

  constexpr auto weights(shape const& inputs) const {
    require_images(inputs);
    return kernel_and_bias<Bias>(weight{Size, Size, inputs[2], Channels}.from(first), Channels);
  }
  static constexpr shape outputs(shape const& inputs) {
    shape s = windows(inputs, Size, Stride, Edge);
    s[2] = Channels;
    return s;
  }
  template <class P, class X, class Call>
  constexpr auto operator()(P const& p, X const& x, Call const& call) const {
    return activated<Bias>(activation, p, call.completed(nn::conv2d<Stride, 1, Edge>(x, p.kernel)));
  }
};

template <bool Largest, int Size, int Stride, nn::padding Edge>
struct pooling_layer {
  static constexpr shape outputs(shape const& inputs) {
    require_images(inputs);
    return windows(inputs, Size, Stride, Edge);
  }
  template <tensor X>
  constexpr auto operator()(X const& x) const {
    if constexpr (Largest)
      return nn::max_pool2d<Size, Stride, Edge>(x);
    else
      return nn::average_pool2d<Size, Stride, Edge>(x);
  }
};

struct global_pooling_layer {
  static constexpr shape outputs(shape const& inputs) {
    require_images(inputs);
    return shape::of(inputs[2]);
  }
  template <tensor X>
  constexpr auto operator()(X const& x) const {
    return nn::global_average_pool(x);
  }
};

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// A convolution of images with Channels kernels of Size by Size, plus a bias, and an activation.
/// Shape: x (batch, height, width, inputs), the result (batch, height / Stride, width / Stride, Channels), rounded up, or
/// fewer with padding::valid. Parameters: Name/kernel (Size, Size, inputs, Channels), Name/bias (Channels).
/// Collective: as dense, if an axis shards the input channels of the kernel.
/// Error: inputs that are no images, as of sequential; else as nn::conv2d.
/// Example: conv2d<"c1", 12, 3>(relu()), conv2d<"c2", 24, 6, 2>(without_bias)
template <meta_detail::text_literal Name, index_t Channels, int Size, int Stride = 1,
          nn::padding Edge = nn::padding::same, class Activation = train_detail::identity_layer>
constexpr train_detail::conv2d_layer<Name, Channels, Size, Stride, Edge, Activation, true> conv2d(
    Activation activation = {}) {
  return {activation};
}
template <meta_detail::text_literal Name, index_t Channels, int Size, int Stride = 1,
          nn::padding Edge = nn::padding::same, class Activation>
constexpr train_detail::conv2d_layer<Name, Channels, Size, Stride, Edge, Activation, false> conv2d(
    Activation activation, without_bias_t) {
  return {activation};
}
template <meta_detail::text_literal Name, index_t Channels, int Size, int Stride = 1,
          nn::padding Edge = nn::padding::same>
constexpr train_detail::conv2d_layer<Name, Channels, Size, Stride, Edge, train_detail::identity_layer, false> conv2d(
    without_bias_t) {
  return {};
}

/// The largest element, or the mean, of each window of Size by Size, as nn::max_pool2d and nn::average_pool2d.
/// Error: inputs that are no images, as of sequential.
/// Example: sequential<28, 28, 1>(conv2d<"c1", 12, 3>(relu()), max_pool2d<2>(), flatten(), dense<"d1", 10>())
template <int Size, int Stride = Size, nn::padding Edge = nn::padding::valid>
constexpr train_detail::pooling_layer<true, Size, Stride, Edge> max_pool2d() {
  return {};
}
/// The mean of each window, else as max_pool2d.
/// Error: as max_pool2d. Example: average_pool2d<2>()
template <int Size, int Stride = Size, nn::padding Edge = nn::padding::valid>
constexpr train_detail::pooling_layer<false, Size, Stride, Edge> average_pool2d() {
  return {};
}
/// The mean of each channel over an image.
/// Error: as max_pool2d. Example: global_average_pool()
constexpr train_detail::global_pooling_layer global_average_pool() { return {}; }

}  // namespace ashlar::training
