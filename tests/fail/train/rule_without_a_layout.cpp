// A rule whose second argument is no layout.
// EXPECT: ashlar::rule: its second argument is a layout
#include "../../support/two_layers.hpp"

#ifdef ASHLAR_CONTROL
constexpr auto p = init<model_parallel<"data", rule<"d1/kernel", layout<none, "model">>>>(m, model, prng_key{1});
#else
constexpr auto p = init<model_parallel<"data", rule<"d1/kernel", float>>>(m, model, prng_key{1});
#endif
