// SPDX-License-Identifier: BSL-1.0
// Parameters of common layers.
#pragma once
#include "ashlar/ops/ops.hpp"
#include "ashlar/train/strategies/weight.hpp"

namespace ashlar::training {

/// A kernel alone. Example: build<linear>(weight{784, 200})
template <class K>
struct linear {
  K kernel;
  static constexpr auto names = ashlar::names("kernel");
};

/// A kernel and a bias. As a function: x times the kernel, plus the bias, both gathered before they are used.
/// Shape: x (batch, inputs), the result (batch, outputs), sharded as x is.
/// Pre: no axis that shards a feature of x shards the kernel.
/// Collective: if a parameter is sharded. Cost: an all-gather of each sharded parameter; replicated ones send nothing.
/// Example: build<affine>(weight{200, 10}, weight{10}) are its parameters; p.d1(x) calls it
template <class K, class B>
struct affine {
  K kernel;
  B bias;
  static constexpr auto names = ashlar::names("kernel", "bias");

  template <class X>
  constexpr auto operator()(X const& x) const {
    return einsum<"bi,io->bo">(x, redistribute<replicated<2>>(kernel)) + redistribute<replicated<1>>(bias);
  }
};

/// The parameters of a dense layer, with a layout for each or by the strategy.
/// Example: dense_of(784, 128); dense_of<layout<none, "model">, layout<"model">>(784, 128)
constexpr auto dense_of(index_t inputs, index_t outputs) {
  return build<affine>(weight{inputs, outputs}, weight{outputs});
}
template <class KernelLayout, class BiasLayout>
constexpr auto dense_of(index_t inputs, index_t outputs) {
  return build<affine>(weight{inputs, outputs}.template laid_out<KernelLayout>(),
                       weight{outputs}.template laid_out<BiasLayout>());
}

}  // namespace ashlar::training
