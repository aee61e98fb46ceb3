// The output of a layer that the model does not have.
// EXPECT: ashlar::place: the model has no layer of this path
#include "ashlar/ops/ops.hpp"
#include "ashlar/train/place.hpp"
#include "../../support/two_layers.hpp"

using S = model_parallel<"data", output_rule<"d2", layout<"data", none>>>;
constexpr auto program = [](auto const& a) {
  auto const p = init<S>(a, model, prng_key{1});
  auto const x = make<float, layout<none, none>>(a, {8, 6});
#ifdef ASHLAR_CONTROL
  (void)place<S, "d2">(p, x);
#else
  (void)place<S, "d3">(p, x);
#endif
};
static_assert(collectives(m, program).count() == 0);
