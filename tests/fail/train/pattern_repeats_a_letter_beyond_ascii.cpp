// A repeated letter that takes two bytes.
// EXPECT: ashlar::rule: classes and \* \+ \? know ASCII only; write other characters alone
#include "../../support/two_layers.hpp"

using namespace ashlar;
#ifdef ASHLAR_CONTROL
constexpr auto p = init<model_parallel<"data", rule<"d1|ü", layout<none, "model">>>>(m, model, prng_key{1});
#else
constexpr auto p = init<model_parallel<"data", rule<"d1|ü*", layout<none, "model">>>>(m, model, prng_key{1});
#endif
