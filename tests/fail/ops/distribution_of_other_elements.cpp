// Distributions in double for logits in float.
// EXPECT: ashlar::softmax_cross_entropy: logits and distributions have different element types
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
using number = float;
#else
using number = double;
#endif
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto t = make<number, layout<"data", none>>(m, {8, 4});
constexpr auto y = softmax_cross_entropy(x, t);
