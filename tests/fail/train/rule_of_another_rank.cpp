// A rule whose layout has another number of dimensions than the parameter.
// EXPECT: ashlar::layout_map: the rule.s layout has another number of dimensions
#include "../../support/two_layers.hpp"

#ifdef ASHLAR_CONTROL
constexpr auto p = init<model_parallel<"data", rule<"d1/kernel", layout<none, "model">>>>(m, model, prng_key{1});
#else
constexpr auto p = init<model_parallel<"data", rule<"d1/kernel", layout<"model">>>>(m, model, prng_key{1});
#endif
