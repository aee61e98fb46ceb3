// A class without its end, and a class of characters beyond ASCII.
// EXPECT: ashlar::rule: a pattern has a \[ without its \]; close it
#include "../../support/two_layers.hpp"

using namespace ashlar;
#ifdef ASHLAR_CONTROL
constexpr auto p = init<model_parallel<"data", rule<"d[1]", layout<none, "model">>>>(m, model, prng_key{1});
#else
constexpr auto p = init<model_parallel<"data", rule<"d[1", layout<none, "model">>>>(m, model, prng_key{1});
#endif
