// A named class, which ECMAScript reads otherwise than POSIX does.
// EXPECT: ashlar::rule: a class holds characters and ranges, no \[
#include "../../support/two_layers.hpp"

#ifdef ASHLAR_CONTROL
constexpr auto p = init<model_parallel<"data", rule<"d1/[a-z]", layout<none, "model">>>>(m, model, prng_key{1});
#else
constexpr auto p = init<model_parallel<"data", rule<"d1/[[:alpha:]]", layout<none, "model">>>>(m, model, prng_key{1});
#endif
