// The largest of partial sums is no partial sum; their mean is.
// EXPECT: ashlar::pool2d: the operand is partial over the axis by a reduction that does not pass through pooling
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, partial<layout<none, none, none, none>, "model">>(m, {8, 6, 6, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = average_pool2d<2>(x);
#else
constexpr auto y = max_pool2d<2>(x);
#endif
