// SPDX-License-Identifier: BSL-1.0
// Parameters of common layers.
#pragma once
#include "ashlar/meta/tree.hpp"

namespace ashlar::training {

/// A kernel alone. Example: build<linear>(weight{784, 200})
template <class K>
struct linear {
  K kernel;
  static constexpr auto names = ashlar::names("kernel");
};

/// A kernel and a bias. Example: build<affine>(weight{200, 10}, weight{10})
template <class K, class B>
struct affine {
  K kernel;
  B bias;
  static constexpr auto names = ashlar::names("kernel", "bias");
};

}  // namespace ashlar::training
