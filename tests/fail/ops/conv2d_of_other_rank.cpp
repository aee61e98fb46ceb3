// Images without channels.
// EXPECT: ashlar::conv2d: images \(n, h, w, channels\) and kernel
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto k = make<float, layout<none, none, none, none>>(m, {3, 3, 4, 2});

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"data", none, none, none>>(m, {8, 6, 6, 4});
constexpr auto y = conv2d(x, k);
#else
constexpr auto x = make<float, layout<"data", none, none>>(m, {8, 6, 6});
constexpr auto y = conv2d(x, k);
#endif
