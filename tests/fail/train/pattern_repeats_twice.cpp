// A lazy repetition, which the subset lacks: *? would read as two.
// EXPECT: ashlar::rule: one of . \+ and . follows what it repeats
#include "../../support/two_layers.hpp"

#ifdef ASHLAR_CONTROL
constexpr auto p = init<model_parallel<"data", rule<"d1.*l", layout<none, "model">>>>(m, model, prng_key{1});
#else
constexpr auto p = init<model_parallel<"data", rule<"d1.*?l", layout<none, "model">>>>(m, model, prng_key{1});
#endif
