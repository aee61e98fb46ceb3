// Images without channels.
// EXPECT: ashlar::pool2d: images \(n, h, w, channels\) have four dimensions
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"data", none, none, none>>(m, {8, 6, 6, 4});
constexpr auto y = max_pool2d<2>(x);
#else
constexpr auto x = make<float, layout<"data", none, none>>(m, {8, 6, 6});
constexpr auto y = max_pool2d<2>(x);
#endif
