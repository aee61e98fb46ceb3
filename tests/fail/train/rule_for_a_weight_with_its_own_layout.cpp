// A rule that only a weight with a layout of its own matches.
// EXPECT: ashlar::layout_map: a rule matches no parameter
#include "../../support/two_layers.hpp"

#ifdef ASHLAR_CONTROL
constexpr auto p =
    init<model_parallel<"data", rule<"kernel", layout<"model", none>>>>(m, build<linear>(weight{8, 4}), prng_key{1});
#else
constexpr auto p = init<model_parallel<"data", rule<"kernel", layout<"model", none>>>>(
    m, build<linear>(weight{8, 4}.laid_out<layout<none, none>>()), prng_key{1});
#endif
