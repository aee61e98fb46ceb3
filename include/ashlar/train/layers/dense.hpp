// SPDX-License-Identifier: BSL-1.0
// Layers with products: dense, embedding.
#pragma once
#include "ashlar/train/layers/functions.hpp"

namespace ashlar::training {

/// The type of without_bias.
struct without_bias_t {};
/// The argument of a layer that has no bias.
/// Example: dense<"d1", 200>(relu(), without_bias)
inline constexpr without_bias_t without_bias{};

}  // namespace ashlar::training

namespace ashlar::train_detail {

// The parameters of a layer with a kernel.
template <class K>
struct kernel_alone {
  K kernel;
  static constexpr auto names = ashlar::names("kernel");
};
template <class K, class B>
struct kernel_with_bias {
  K kernel;
  B bias;
  static constexpr auto names = ashlar::names("kernel", "bias");
};

template <class X>
struct dense_operands {
  static constexpr bool ok = rank_v<X> >= 2 && rank_v<X> <= 4;
  static constexpr void say() {
    static_assert(
        ok, "ashlar::training::dense: its inputs have 2 to 4 dimensions, the batch first; write flatten() before it");
  }
};

// x times a kernel in the last dimension.
template <class X, class K>
constexpr auto times_kernel(X const& x, K const& kernel) {
  if constexpr (!meta_detail::hold<dense_operands<X>>())
    return x;
  else if constexpr (rank_v<X> == 2)
    return einsum<"bi,io->bo">(x, kernel);
  else if constexpr (rank_v<X> == 3)
    return einsum<"bti,io->bto">(x, kernel);
  else
    return einsum<"bhwi,io->bhwo">(x, kernel);
}

// The parameters of a layer with a kernel, and its outputs after the product.
template <bool Bias, int Rank>
constexpr auto kernel_and_bias(weight<Rank> const& kernel, index_t outputs) {
  if constexpr (Bias)
    return build<kernel_with_bias>(kernel, weight{outputs});
  else
    return build<kernel_alone>(kernel);
}
template <bool Bias, class Activation, class P, class Y>
constexpr auto activated(Activation const& activation, P const& p, Y const& product) {
  if constexpr (Bias)
    return activation(product + p.bias);
  else
    return activation(product);
}

template <text_literal Name, index_t Units, class Activation, bool Bias>
struct dense_layer {
  static constexpr auto name = Name;
  Activation activation;
  initializer first = initializer::glorot_uniform;

  /// The same with other initial values of the kernel.
  constexpr dense_layer from(initializer i) const { return {activation, i}; }

  constexpr auto weights(shape const& inputs) const {
    return kernel_and_bias<Bias>(weight{inputs[inputs.rank - 1], Units}.from(first), Units);
  }
  static constexpr shape outputs(shape inputs) {
    inputs[inputs.rank - 1] = Units;
    return inputs;
  }
  template <class P, class X, class Call>
  constexpr auto operator()(P const& p, X const& x, Call const& call) const {
    return activated<Bias>(activation, p, call.completed(times_kernel(x, p.kernel)));
  }
};

template <text_literal Name, index_t Words, index_t Channels>
struct embedding_layer {
  static constexpr auto name = Name;
  using input_type = std::int32_t;

  static constexpr auto weights(shape const&) { return build<kernel_alone>(weight{Words, Channels}.normal(0.05)); }
  static constexpr shape outputs(shape inputs) {
    inputs[inputs.rank++] = Channels;
    return inputs;
  }
  template <class P, class X, class Call>
  constexpr auto operator()(P const& p, X const& x, Call const& call) const {
    return call.completed(nn::embedding(p.kernel, x));
  }
};

}  // namespace ashlar::train_detail

namespace ashlar::training {

/// A dense layer: the activation of x times the kernel, plus the bias.
/// Shape: x (batch, ..., inputs), the result (batch, ..., Units). Parameters: Name/kernel (inputs, Units), Name/bias
/// (Units).
/// Collective: if the kernel is sharded over inputs, an output_rule of the strategy completes the sum before the bias. If it is
///   sharded over units, the backward pass has an all-reduce of the inputs' cotangent, except in the first layer.
/// Error: inputs of other than 2 to 4 dimensions, and a sum that no output_rule completes, do not compile.
/// Example: dense<"d1", 256>(relu()), dense<"d3", 10>(), dense<"d1", 200>(relu(), without_bias)
template <meta_detail::text_literal Name, index_t Units, class Activation = train_detail::identity_layer>
constexpr train_detail::dense_layer<Name, Units, Activation, true> dense(Activation activation = {}) {
  return {activation};
}
template <meta_detail::text_literal Name, index_t Units, class Activation>
constexpr train_detail::dense_layer<Name, Units, Activation, false> dense(Activation activation, without_bias_t) {
  return {activation};
}
template <meta_detail::text_literal Name, index_t Units>
constexpr train_detail::dense_layer<Name, Units, train_detail::identity_layer, false> dense(without_bias_t) {
  return {};
}

/// A table of vectors, one for each word, as the first layer: the rows of the words of x, which are integers.
/// Shape: x (batch, ...), the result (batch, ..., Channels). Parameters: Name/kernel (Words, Channels).
/// Collective: if the table is sharded over words, an output_rule of the strategy completes the sum.
/// Error: as nn::embedding, and a sum that no output_rule completes.
/// Example: sequential<50>(embedding<"words", 1000, 64>(), dense<"d1", 10>())
template <meta_detail::text_literal Name, index_t Words, index_t Channels>
constexpr train_detail::embedding_layer<Name, Words, Channels> embedding() {
  return {};
}

}  // namespace ashlar::training
