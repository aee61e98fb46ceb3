// Distributions that are not sharded as the rows are.
// EXPECT: ashlar::softmax_cross_entropy: the axis shards the labels otherwise than the rows
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
using as_rows = layout<"data", none>;
#else
using as_rows = layout<none, none>;
#endif
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto t = make<float, as_rows>(m, {8, 4});
constexpr auto y = softmax_cross_entropy(x, t);
