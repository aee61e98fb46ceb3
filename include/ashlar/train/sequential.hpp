// SPDX-License-Identifier: BSL-1.0
// Layers in order.
#pragma once
#include <tuple>

namespace ashlar::training {

/// The function that calls layers in order, each with the result of the layer before it. Without layers it returns its
/// argument.
/// Example: sequential(p.feature, p.feature_2)(x) is p.feature_2(p.feature(x))
template <class... Layers>
constexpr auto sequential(Layers... layers) {
  return [all = std::tuple(layers...)](auto const& x) {
    auto const from = [&]<std::size_t I>(auto const& self, auto const& y, std::integral_constant<std::size_t, I>) {
      if constexpr (I == sizeof...(Layers))
        return y;
      else
        return self(self, std::get<I>(all)(y), std::integral_constant<std::size_t, I + 1>{});
    };
    return from(from, x, std::integral_constant<std::size_t, 0>{});
  };
}

}  // namespace ashlar::training
