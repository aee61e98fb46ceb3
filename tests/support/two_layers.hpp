// A model of two layers on a mesh of two axes, for tests of layout rules that must not compile.
#pragma once
#include <ashlar/train/layers.hpp>
#include "ashlar/train/strategies/strategy.hpp"

using namespace ashlar;
using namespace ashlar::training;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

template <class A, class B>
struct two {
  A d1;
  B d2;
  static constexpr auto names = ashlar::names("d1", "d2");
};
constexpr auto model = build<two>(build<linear>(weight{8, 4}), build<linear>(weight{4, 2}));
