// The root of a partial sum.
// EXPECT: ashlar::layer_norm: the tensor is partial over the axis
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto a = make<float, layout<none>>(m, {4});

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<none, none>>(m, {8, 4});
constexpr auto y = rms_norm(x, a, 1e-5);
#else
constexpr auto x = make<float, partial<layout<none, none>, "model">>(m, {8, 4});
constexpr auto y = rms_norm(x, a, 1e-5);
#endif
