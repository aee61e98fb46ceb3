// A model of two layers on a mesh of two axes, for tests of layout rules that must not compile.
#pragma once
#include "ashlar/train/strategies/strategy.hpp"

using namespace ashlar;
using namespace ashlar::training;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

template <class K>
struct kernel_alone {
  K kernel;
  static constexpr auto names = ashlar::names("kernel");
};
template <class A, class B>
struct two {
  A d1;
  B d2;
  static constexpr auto names = ashlar::names("d1", "d2");
};
constexpr auto model = build<two>(build<kernel_alone>(weight{8, 4}), build<kernel_alone>(weight{4, 2}));
