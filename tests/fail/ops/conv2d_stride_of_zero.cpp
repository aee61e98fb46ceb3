// Windows that do not move on.
// EXPECT: ashlar::conv2d: stride and dilation are 1 or more
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", none, none, none>>(m, {8, 6, 6, 4});
constexpr auto k = make<float, layout<none, none, none, none>>(m, {3, 3, 4, 2});

#ifdef ASHLAR_CONTROL
constexpr auto y = conv2d<1>(x, k);
#else
constexpr auto y = conv2d<0>(x, k);
#endif
