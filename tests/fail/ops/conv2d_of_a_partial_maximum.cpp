// A maximum does not pass through a sum.
// EXPECT: ashlar::conv2d: only a partial sum passes through
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, partial<layout<none, none, none, none>, "model">>(m, {8, 6, 6, 4});
constexpr auto k = make<float, layout<none, none, none, none>>(m, {3, 3, 4, 2});
constexpr auto y = conv2d(x, k);
#else
constexpr auto x = make<float, partial<layout<none, none, none, none>, "model", op::max>>(m, {8, 6, 6, 4});
constexpr auto k = make<float, layout<none, none, none, none>>(m, {3, 3, 4, 2});
constexpr auto y = conv2d(x, k);
#endif
