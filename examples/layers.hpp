// The layers of the examples' networks: what they hold, under which names. A network is a struct of such.
#pragma once
#include <ashlar/meta/tree.hpp>

template <class K>
struct linear {
  K kernel;
  static constexpr auto names = ashlar::names("kernel");
};
template <class K, class B>
struct affine {
  K kernel;
  B bias;
  static constexpr auto names = ashlar::names("kernel", "bias");
};
