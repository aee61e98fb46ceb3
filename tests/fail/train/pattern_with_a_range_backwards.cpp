// A range from the higher character to the lower.
// EXPECT: ashlar::rule: a range goes from the lower character
#include "../../support/two_layers.hpp"

#ifdef ASHLAR_CONTROL
constexpr auto p = init<model_parallel<"data", rule<"d[0-1]", layout<none, "model">>>>(m, model, prng_key{1});
#else
constexpr auto p = init<model_parallel<"data", rule<"d[1-0]", layout<none, "model">>>>(m, model, prng_key{1});
#endif
