// Reading a sharded dimension as if it were whole.
// EXPECT: ashlar::softmax: the axis shards the last dimension, which the operation reads as a whole
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto y = softmax(x);
#else
constexpr auto x = make<float, layout<none, "data">>(m, {8, 4});
constexpr auto y = softmax(x);
#endif
