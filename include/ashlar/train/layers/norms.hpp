// SPDX-License-Identifier: BSL-1.0
// Layers that normalise.
#pragma once
#include "ashlar/train/layers/dense.hpp"

namespace ashlar::train_detail {

template <class S, class B>
struct scale_and_shift {
  S scale;
  B shift;
  static constexpr auto names = ashlar::names("scale", "shift");
};
template <class B>
struct shift_alone {
  B shift;
  static constexpr auto names = ashlar::names("shift");
};

constexpr weight<1> of_channels(shape const& inputs, initializer first) {
  return weight{inputs[inputs.rank - 1]}.from(first);
}

template <text_literal Name>
struct layer_norm_layer {
  static constexpr auto name = Name;
  double epsilon;
  static constexpr auto weights(shape const& inputs) {
    return build<scale_and_shift>(of_channels(inputs, initializer::ones), of_channels(inputs, initializer::zeros));
  }
  template <class P, class X>
  constexpr auto operator()(P const& p, X const& x) const {
    return nn::layer_norm(x, p.scale, p.shift, epsilon);
  }
};

template <text_literal Name, bool Scaled, nn::statistics Over>
struct batch_norm_layer {
  static constexpr auto name = Name;
  static constexpr auto weights(shape const& inputs) {
    auto const shift = of_channels(inputs, initializer::zeros);
    if constexpr (Scaled)
      return build<scale_and_shift>(of_channels(inputs, initializer::ones), shift);
    else
      return build<shift_alone>(shift);
  }
  static constexpr auto variables(shape const& inputs) {
    return build<nn::moving_statistics>(of_channels(inputs, initializer::zeros),
                                        of_channels(inputs, initializer::ones));
  }
  template <class P, class V, class X, class Call>
  constexpr auto operator()(P const& p, V const& moving, X const& x, Call const&) const {
    auto const by = [&](auto const& scale) {
      if constexpr (Call::training)
        return nn::batch_norm<Over>(x, scale, p.shift, moving);
      else
        return build<nn::batch_normalized>(nn::batch_norm_inference(x, scale, p.shift, moving), moving);
    };
    if constexpr (Scaled)
      return by(p.scale);
    else
      return by(none);
  }
};

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// The type of without_scale.
struct without_scale_t {};
/// The argument of a batch_norm without a scale. Example: batch_norm<"n1">(without_scale)
inline constexpr without_scale_t without_scale{};

/// nn::layer_norm over the last dimension. Parameters: Name/scale, Name/shift.
/// Error: as nn::layer_norm.
/// Example: sequential<784>(dense<"d1", 256>(relu()), layer_norm<"n1">(), dense<"d2", 10>())
template <meta_detail::text_literal Name>
constexpr train_detail::layer_norm_layer<Name> layer_norm(double epsilon = 1e-5) {
  return {epsilon};
}

/// nn::batch_norm over all but the last dimension. Training moves its statistics, which are variables of the network;
/// an evaluation uses them. Parameters: Name/scale, Name/shift. Variables: Name/mean, Name/variance.
/// Collective, Cost, Error: as nn::batch_norm.
/// Example: sequential<28, 28, 1>(conv2d<"c1", 12, 3>(without_bias), batch_norm<"n1">(without_scale), relu(), ...)
template <meta_detail::text_literal Name, nn::statistics Over = nn::statistics::global>
constexpr train_detail::batch_norm_layer<Name, true, Over> batch_norm() {
  return {};
}
template <meta_detail::text_literal Name, nn::statistics Over = nn::statistics::global>
constexpr train_detail::batch_norm_layer<Name, false, Over> batch_norm(without_scale_t) {
  return {};
}

}  // namespace ashlar::training
