// A ] right behind the [, which ends the class in ECMAScript and stands for itself in POSIX.
// EXPECT: ashlar::rule: a class holds a character or more
#include "../../support/two_layers.hpp"

#ifdef ASHLAR_CONTROL
constexpr auto p = init<model_parallel<"data", rule<"d[1]", layout<none, "model">>>>(m, model, prng_key{1});
#else
constexpr auto p = init<model_parallel<"data", rule<"d[]1]", layout<none, "model">>>>(m, model, prng_key{1});
#endif
