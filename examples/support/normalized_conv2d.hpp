// Convolutions with a batch normalisation and a relu after them.
#pragma once
#include <ashlar/ops/ops.hpp>
#include <ashlar/train/strategies/weight.hpp>

namespace examples {

using namespace ashlar;
using namespace ashlar::training;

/// The parameters of normalized_conv2d: a kernel, and the shift of each channel.
/// Example: conv2d_layer_of(3, 1, 12) has kernels of 3 x 3, 1 input channel and 12 output channels
template <class K, class S>
struct conv2d_layer {
  K kernel;
  S shift;
  static constexpr auto names = ashlar::names("kernel", "shift");
};
/// The parameters of normalized_conv2d: kernels of size by size, from `inputs` to `outputs` channels, and a shift.
/// Example: conv2d_layer_of(3, 1, 12)
constexpr auto conv2d_layer_of(index_t size, index_t inputs, index_t outputs) {
  return build<conv2d_layer>(weight{size, size, inputs, outputs}, weight{outputs});
}

/// Moving statistics as variables of a model: means of 0, variances of 1.
/// Example: moving_statistics_of(12) for conv2d_layer_of(3, 1, 12)
constexpr auto moving_statistics_of(index_t channels) {
  return build<nn::moving_statistics>(weight{channels}, weight{channels}.from(initializer::ones));
}

/// relu(batch_norm(conv2d(x, kernel))), with shifts and without scales. In training it normalises by the statistics of the
/// batch, over all ranks or of each shard, and moves `state` towards them; otherwise by `state`.
/// Shape: x (batch, height, width, inputs), the result (batch, height / Stride, width / Stride, outputs), rounded up.
/// Collective: as batch_norm. Cost: as conv2d and batch_norm.
/// Example: auto [y, after] = normalized_conv2d<true, statistics::global, 2>(p.conv1, state.conv1, x);
// [block]
template <bool Training, nn::statistics Over, int Stride, class P, class State, class X>
constexpr auto normalized_conv2d(P const& p, State const& state, X const& x) {
  auto h = nn::conv2d<Stride>(x, p.kernel);
  if constexpr (Training) {
    auto [y, after] = batch_norm<Over>(h, none, p.shift, state);
    return build<nn::batch_normalized>(relu(y), after);
  } else {
    return build<nn::batch_normalized>(relu(batch_norm_inference(h, none, p.shift, state)), state);
  }
}
// [block]

}  // namespace examples
