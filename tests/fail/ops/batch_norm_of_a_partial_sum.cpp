// The variance of partial sums.
// EXPECT: ashlar::batch_norm: the tensor is partial over the axis
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto s = build<moving_statistics>(make<float, layout<none>>(m, {4}), make<float, layout<none>>(m, {4}));

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"data", none, none, none>>(m, {8, 6, 6, 4});
constexpr auto y = batch_norm(x, none, none, s).y;
#else
constexpr auto x = make<float, partial<layout<none, none, none, none>, "model">>(m, {8, 6, 6, 4});
constexpr auto y = batch_norm(x, none, none, s).y;
#endif
