// A mistake in an alternative that nobody asks for, since the first is found in every path.
// EXPECT: ashlar::rule: one of . \+ and . follows what it repeats
#include "../../support/two_layers.hpp"

#ifdef ASHLAR_CONTROL
constexpr auto p = init<model_parallel<"data", rule<"kernel|bias*", layout<none, "model">>>>(m, model, prng_key{1});
#else
constexpr auto p = init<model_parallel<"data", rule<"kernel|bias**", layout<none, "model">>>>(m, model, prng_key{1});
#endif
