// Windows without elements.
// EXPECT: ashlar::pool2d: window and stride are 1 or more
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", none, none, none>>(m, {8, 6, 6, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = max_pool2d<2>(x);
#else
constexpr auto y = max_pool2d<0, 1>(x);
#endif
