// Names of layers that make a path of a parameter too long.
// EXPECT: ashlar::model: a parameter's path is longer than 159 characters; shorten the names
#include "../../support/two_layers.hpp"

using namespace ashlar;
#ifdef ASHLAR_CONTROL
#define LONG "layer"
#else
#define LONG "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#endif
template <class A>
struct outer {
  A layer;
  static constexpr auto names = ashlar::names(LONG);
};
constexpr auto deep = build<outer>(build<outer>(build<linear>(weight{8, 4})));
constexpr auto p = init<model_parallel<"data", rule<"kernel", layout<none, "model">>>>(m, deep, prng_key{1});
