// Models of two and of three layers.
#pragma once
#include <ashlar/meta/tree.hpp>

namespace examples {

/// Two layers. Example: build<layer_pair>(build<linear>(weight{784, 200}), build<affine>(weight{200, 10}, weight{10}))
template <class D1, class D2>
struct layer_pair {
  D1 d1;
  D2 d2;
  static constexpr auto names = ashlar::names("d1", "d2");
};

/// Three layers. Example: build<layer_triple>(dense_of(784, 256), dense_of(256, 256), dense_of(256, 10))
template <class D1, class D2, class D3>
struct layer_triple {
  D1 d1;
  D2 d2;
  D3 d3;
  static constexpr auto names = ashlar::names("d1", "d2", "d3");
};

}  // namespace examples
