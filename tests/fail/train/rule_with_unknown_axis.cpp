// A rule with an axis that the mesh does not have.
// EXPECT: ashlar::make: the layout names an axis that the mesh does not have
#include "../../support/two_layers.hpp"

#ifdef ASHLAR_CONTROL
constexpr auto p = init<model_parallel<"data", rule<"d1/kernel", layout<none, "model">>>>(m, model, prng_key{1});
#else
constexpr auto p = init<model_parallel<"data", rule<"d1/kernel", layout<none, "heads">>>>(m, model, prng_key{1});
#endif
