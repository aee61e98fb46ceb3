// A small network 12 -> 8 -> 5 with dropout, and its training step, as a program for tensors of any kind.
#pragma once
#include "ashlar/train/optimizers/optimizer.hpp"
#include "ashlar/train/sequential.hpp"

namespace ashlar::test {

using grid = mesh<axis<"data">, axis<"model">>;

inline constexpr index_t batch = 7, inputs = 12, hidden = 8, classes = 5;
inline constexpr double dropout_rate = 0.25;
using training::operator""_n;
inline constexpr auto network = training::sequential<inputs>(training::dense<"d1", hidden>(training::without_bias),
                                                             training::dense<"d2", classes>())
                                    .weights();

using model_sharded = training::model_parallel<"data", training::rule<"d1/kernel", layout<none, "model">>,
                                               training::rule<"d2/kernel", layout<"model", none>>>;
using mirrored = training::data_parallel<"data">;

inline constexpr auto network_loss = [](auto const& p, auto const& x, auto const& labels, prng_key key) {
  auto h = dropout(relu(einsum<"bi,ih->bh">(x, p["d1"_n].kernel)), dropout_rate, key);
  auto z = all_reduce(einsum<"bh,ho->bo">(h, p["d2"_n].kernel)) + p["d2"_n].bias;
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
