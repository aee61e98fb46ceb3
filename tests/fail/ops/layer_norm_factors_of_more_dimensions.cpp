// Factors of more dimensions than what they scale.
// EXPECT: ashlar::layer_norm: the factors have one dimension or more, the last ones of x
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto a = make<float, layout<none>>(m, {4});
constexpr auto y = layer_norm(x, a, a, 1e-5);
#else
constexpr auto a = make<float, layout<none, none, none>>(m, {2, 8, 4});
constexpr auto y = layer_norm(x, a, a, 1e-5);
#endif
