// A \d within a class.
// EXPECT: ashlar::rule: a class holds characters and ranges, no \[
#include "../../support/two_layers.hpp"

#ifdef ASHLAR_CONTROL
constexpr auto p = init<model_parallel<"data", rule<"d[1]", layout<none, "model">>>>(m, model, prng_key{1});
#else
constexpr auto p = init<model_parallel<"data", rule<"d[\\d]", layout<none, "model">>>>(m, model, prng_key{1});
#endif
