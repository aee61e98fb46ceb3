// Windows that would reach over the pieces of an image.
// EXPECT: ashlar::pool2d: the axis shards a spatial dimension
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"data", none, none, none>>(m, {8, 6, 6, 4});
constexpr auto y = max_pool2d<2>(x);
#else
constexpr auto x = make<float, layout<none, none, "data", none>>(m, {8, 6, 6, 4});
constexpr auto y = max_pool2d<2>(x);
#endif
