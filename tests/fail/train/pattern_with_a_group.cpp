// A pattern with syntax beyond the subset.
// EXPECT: ashlar::rule: a pattern holds characters
#include "../../support/two_layers.hpp"

#ifdef ASHLAR_CONTROL
constexpr auto p = init<model_parallel<"data", rule<"d1/.*", layout<none, "model">>>>(m, model, prng_key{1});
#else
constexpr auto p = init<model_parallel<"data", rule<"(d1|d2)/.*", layout<none, "model">>>>(m, model, prng_key{1});
#endif
