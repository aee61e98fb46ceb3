// Two patterns that match one parameter.
// EXPECT: ashlar::layout_map: two rules match one parameter
#include "../../support/two_layers.hpp"

#ifdef ASHLAR_CONTROL
constexpr auto p = init<model_parallel<"data", rule<"d1*", layout<none, "model">>, rule<"d2*", layout<"model", none>>>>(
    m, model, prng_key{1});
#else
constexpr auto p =
    init<model_parallel<"data", rule<"d1*", layout<none, "model">>, rule<"*kernel", layout<"model", none>>>>(
        m, model, prng_key{1});
#endif
