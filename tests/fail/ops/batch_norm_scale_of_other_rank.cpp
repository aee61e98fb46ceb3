// A scale for each pixel.
// EXPECT: ashlar::batch_norm: scale, shift and moving statistics have one dimension
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", none, none, none>>(m, {8, 6, 6, 4});
constexpr auto s = build<moving_statistics>(make<float, layout<none>>(m, {4}), make<float, layout<none>>(m, {4}));

#ifdef ASHLAR_CONTROL
constexpr auto a = make<float, layout<none>>(m, {4});
constexpr auto y = batch_norm(x, a, none, s).y;
#else
constexpr auto a = make<float, layout<none, none>>(m, {6, 4});
constexpr auto y = batch_norm(x, a, none, s).y;
#endif
