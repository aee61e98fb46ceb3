// One index of a dimension that lies in pieces on several ranks.
// EXPECT: ashlar::select: the axis shards the first dimension, of which the operation takes one index
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<none, "data">>(m, {3, 8});
constexpr auto y = select(x, 2);
#else
constexpr auto x = make<float, layout<"data", none>>(m, {3, 8});
constexpr auto y = select(x, 2);
#endif
