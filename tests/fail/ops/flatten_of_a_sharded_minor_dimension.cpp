// Dimensions joined of which the second is sharded.
// EXPECT: ashlar::flatten: the axis shards a dimension that is not the first
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto y = flatten<0, 1>(x);
#else
constexpr auto x = make<float, layout<none, "data">>(m, {8, 4});
constexpr auto y = flatten<0, 1>(x);
#endif
