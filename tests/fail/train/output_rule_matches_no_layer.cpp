// An output rule at whose path the model has no layer: a parameter is none.
// EXPECT: ashlar::layout_map: an output_rule matches no layer
#include "../../support/two_layers.hpp"

#ifdef ASHLAR_CONTROL
constexpr auto p = init<model_parallel<"data", output_rule<"d2", layout<"data", none>>>>(m, model, prng_key{1});
#else
constexpr auto p = init<model_parallel<"data", output_rule<"d2/kernel", layout<"data", none>>>>(m, model, prng_key{1});
#endif
