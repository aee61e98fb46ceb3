// An output rule whose layout has another number of dimensions than the output.
// EXPECT: ashlar::layout_map: the rule.s layout has another number of dimensions
#include "ashlar/ops/ops.hpp"
#include "ashlar/train/place.hpp"
#include "../../support/two_layers.hpp"

#ifdef ASHLAR_CONTROL
using S = model_parallel<"data", output_rule<"d2", layout<"data", none>>>;
#else
using S = model_parallel<"data", output_rule<"d2", layout<"data">>>;
#endif
constexpr auto program = [](auto const& a) {
  auto const p = init<S>(a, model, prng_key{1});
  (void)place<S, "d2">(p, make<float, layout<none, none>>(a, {8, 6}));
};
static_assert(collectives(m, program).count() == 0);
