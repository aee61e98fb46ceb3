// A layout rule whose path no parameter has.
// EXPECT: ashlar::layout_map: a rule matches no parameter
#include "../../support/two_layers.hpp"

#ifdef ASHLAR_CONTROL
constexpr auto p = init<model_parallel<"data", rule<"d1/kernel", layout<none, "model">>>>(m, model, prng_key{1});
#else
constexpr auto p = init<model_parallel<"data", rule<"d1/bias", layout<"model">>>>(m, model, prng_key{1});
#endif
