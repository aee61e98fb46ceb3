// Moving statistics of all channels beside images of some.
// EXPECT: ashlar::batch_norm: the axis shards the channels of one operand and not of the other
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", none, none, "model">>(m, {8, 6, 6, 4});

#ifdef ASHLAR_CONTROL
constexpr auto s = build<moving_statistics>(make<float, layout<"model">>(m, {4}), make<float, layout<"model">>(m, {4}));
constexpr auto y = batch_norm(x, none, none, s).y;
#else
constexpr auto s = build<moving_statistics>(make<float, layout<none>>(m, {4}), make<float, layout<none>>(m, {4}));
constexpr auto y = batch_norm(x, none, none, s).y;
#endif
