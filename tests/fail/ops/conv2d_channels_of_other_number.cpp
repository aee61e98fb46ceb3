// Images of 4 channels and a kernel for 5.
// EXPECT: ashlar::conv2d: images \(n, h, w, i\) and kernel \(k, l, i, o\) have the same number of channels
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", none, none, none>>(m, static_extents<8, 6, 6, 4>{});

#ifdef ASHLAR_CONTROL
constexpr auto k = make<float, layout<none, none, none, none>>(m, static_extents<3, 3, 4, 2>{});
constexpr auto y = conv2d(x, k);
#else
constexpr auto k = make<float, layout<none, none, none, none>>(m, static_extents<3, 3, 5, 2>{});
constexpr auto y = conv2d(x, k);
#endif
