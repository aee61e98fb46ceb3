// SPDX-License-Identifier: BSL-1.0
// Layers without parameters: activations, dropout, a change of scale or shape.
#pragma once
#include "ashlar/train/layers/call.hpp"

namespace ashlar::train_detail {

enum class activation { identity, relu, tanh, softmax, gelu, silu, sigmoid };
template <activation A>
struct activation_layer {
  template <tensor X>
  constexpr auto operator()(X const& x) const {
    // clang-format off
    if constexpr (A == activation::relu) return ashlar::relu(x);
    else if constexpr (A == activation::tanh) return ashlar::tanh(x);
    else if constexpr (A == activation::softmax) return ashlar::softmax(x);
    else if constexpr (A == activation::gelu) return nn::gelu(x);
    else if constexpr (A == activation::silu) return nn::silu(x);
    else if constexpr (A == activation::sigmoid) return nn::sigmoid(x);
    else return x;
    // clang-format on
  }
};
using identity_layer = activation_layer<activation::identity>;

struct dropout_layer {
  double rate;
  template <tensor X, class Call>
  constexpr auto operator()(X const& x, Call const& call) const {
    if constexpr (Call::training)
      return ashlar::dropout(x, static_cast<element_t<X>>(rate), call.key);
    else
      return x;
  }
};

struct rescaling_layer {
  double factor;
  template <tensor X>
  constexpr auto operator()(X const& x) const {
    return x * static_cast<element_t<X>>(factor);
  }
};

struct flatten_layer {
  static constexpr shape outputs(shape const& inputs) { return shape::of(inputs.size()); }
  template <tensor X>
  constexpr auto operator()(X const& x) const {
    if constexpr (rank_v<X> <= 2)
      return x;
    else
      return ashlar::flatten<1, rank_v<X> - 1>(x);
  }
};

}  // namespace ashlar::train_detail

namespace ashlar {

/// Without an argument: relu as a layer, or as the activation of one. So are tanh(), softmax(), nn::gelu(), nn::silu()
/// and nn::sigmoid().
/// Example: training::dense<"d1", 256>(relu())
constexpr train_detail::activation_layer<train_detail::activation::relu> relu() { return {}; }
/// tanh as a layer. Example: training::dense<"d1", 256>(tanh())
constexpr train_detail::activation_layer<train_detail::activation::tanh> tanh() { return {}; }
/// softmax as a layer. Example: training::dense<"d3", 10>(softmax())
constexpr train_detail::activation_layer<train_detail::activation::softmax> softmax() { return {}; }

namespace nn {

/// gelu as a layer. Example: training::dense<"d1", 256>(nn::gelu())
constexpr train_detail::activation_layer<train_detail::activation::gelu> gelu() { return {}; }
/// silu as a layer. Example: training::dense<"d1", 256>(nn::silu())
constexpr train_detail::activation_layer<train_detail::activation::silu> silu() { return {}; }
/// sigmoid as a layer. Example: training::dense<"d1", 1>(nn::sigmoid())
constexpr train_detail::activation_layer<train_detail::activation::sigmoid> sigmoid() { return {}; }

}  // namespace nn

}  // namespace ashlar

namespace ashlar::training {

/// A layer that drops elements while the network trains, as ashlar::dropout does, and passes them on else.
/// Pre: 0 <= rate < 1. Error: another rate throws ashlar::error when the network trains.
/// Example: sequential<784>(dense<"d1", 256>(relu()), dropout(0.1), dense<"d2", 10>())
constexpr train_detail::dropout_layer dropout(double rate) { return {rate}; }

/// A layer that multiplies its inputs by a number.
/// Example: rescaling(1. / 255) for the bytes of images
constexpr train_detail::rescaling_layer rescaling(double factor) { return {factor}; }

/// A layer that makes one dimension of all but the batch.
/// Example: sequential<28, 28, 1>(flatten(), dense<"d1", 200>(relu()))
constexpr train_detail::flatten_layer flatten() { return {}; }

}  // namespace ashlar::training
