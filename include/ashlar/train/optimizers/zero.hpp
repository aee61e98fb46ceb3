// SPDX-License-Identifier: BSL-1.0
// Fully sharded data parallelism: which of the parameters, gradients and moments are in shares.
#pragma once
#include "ashlar/train/strategies/strategy.hpp"
#include "ashlar/train/optimizers/update_in_shares.hpp"

namespace ashlar::training {

/// The stages of ZeRO. Shards are: nothing; the optimizer's moments; parameters and gradients too, which a step gathers
/// once (zero2) or once forward and once backward (zero3).
/// Source: Rajbhandari et al., ZeRO: memory optimizations toward training trillion parameter models, 2020.
enum class zero_stage { replicated, zero1, zero2, zero3 };

/// The strategies of a stage, from one without shares and one with them.
/// Example: using s = zero<zero_stage::zero1, data_parallel<"data">, shares>; s::parameters is data_parallel<"data">
template <zero_stage Stage, class Whole, class Shares>
struct zero {
  static constexpr zero_stage stage = Stage;
  using parameters = std::conditional_t<(Stage >= zero_stage::zero2), Shares, Whole>;
  using moments = std::conditional_t<(Stage >= zero_stage::zero1), Shares, Whole>;
};

/// The parameters and the optimizer's state of a model at the beginning, by a zero<Stage, Whole, Shares>: a std::pair.
/// Post: the parameters equal the result of init, and the state that of optimizer.init for them, in other layouts.
/// Example: auto [p, state] = init_zero<s, float>(adam{}, m, model, prng_key{1});
template <class Zero, class T = float, class Optimizer, class Handle, class Model>
constexpr auto init_zero(Optimizer const& optimizer, Handle const& m, Model const& model, prng_key key) {
  auto const moments = init<typename Zero::moments, T>(m, model, key);
  return std::pair(init<typename Zero::parameters, T>(m, model, key), optimizer.init(moments));
}

}  // namespace ashlar::training
