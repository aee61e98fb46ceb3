// A small network 12 -> 8 -> 5 with dropout, and its training step, as a program for tensors of any kind.
#pragma once
#include <ashlar/train/layers.hpp>
#include "ashlar/ops/ops.hpp"
#include "ashlar/train/optimizers/optimizer.hpp"
#include "ashlar/train/strategies/strategy.hpp"

namespace ashlar::test {

using grid = mesh<axis<"data">, axis<"model">>;

template <class A, class B>
struct two_layers {
  A d1;
  B d2;
  static constexpr auto names = ashlar::names("d1", "d2");
};

inline constexpr index_t batch = 7, inputs = 12, hidden = 8, classes = 5;
inline constexpr double dropout_rate = 0.25;
inline constexpr auto network =
    build<two_layers>(build<training::linear>(training::weight{inputs, hidden}),
                      build<training::affine>(training::weight{hidden, classes}, training::weight{classes}));

using model_sharded = training::model_parallel<"data", training::rule<"d1/kernel", layout<none, "model">>,
                                               training::rule<"d2/kernel", layout<"model", none>>>;
using mirrored = training::data_parallel<"data">;

inline constexpr auto network_loss = [](auto const& p, auto const& x, auto const& labels, prng_key key) {
  auto h = dropout(relu(einsum<"bi,ih->bh">(x, p.d1.kernel)), dropout_rate, key);
  auto z = all_reduce(einsum<"bh,ho->bo">(h, p.d2.kernel)) + p.d2.bias;
  return build<with_aux>(nn::softmax_cross_entropy(z, labels), nn::accuracy_count(stop_gradient(z), labels));
};

/// Does one step of training. Returns the batch's loss and its hits.
inline constexpr auto train_step = [](auto const& optimizer, auto& p, auto& state, auto const& x, auto const& labels,
                                      prng_key key) {
  auto [value, hits, gradients] = value_and_grad<"data">(network_loss)(p, x, labels, key);
  auto [l, h, g] = all_reduce<"data">(bundle(value, hits, gradients));
  optimizer.update(p, state, g);
  return std::pair{l, h};
};

}  // namespace ashlar::test
