// Weights in double for logits in float.
// EXPECT: ashlar::softmax_cross_entropy: logits and weights have different element types
#include "ashlar/ops/ops.hpp"
#include "ashlar/ops/losses.hpp"

using namespace ashlar;
using line = mesh<axis<"data">>;

#ifdef ASHLAR_CONTROL
using weight_type = float;
#else
using weight_type = double;
#endif
constexpr auto program = [](auto const& m) {
  (void)softmax_cross_entropy(make<float, layout<"data", none>>(m, {8, 3}), make<std::int32_t, layout<"data">>(m, {8}),
                              make<weight_type, layout<"data">>(m, {8}));
};
static_assert(collectives(line{{2}}, program).count() == 0);
