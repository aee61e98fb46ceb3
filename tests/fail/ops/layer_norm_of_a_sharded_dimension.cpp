// Normalising a dimension of which each rank has a piece.
// EXPECT: ashlar::layer_norm: the axis shards a dimension that is normalised
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto a = make<float, layout<none>>(m, {4});

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto y = layer_norm(x, a, a, 1e-5);
#else
constexpr auto x = make<float, layout<none, "data">>(m, {8, 4});
constexpr auto y = layer_norm(x, a, a, 1e-5);
#endif
