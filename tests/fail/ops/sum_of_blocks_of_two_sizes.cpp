// Operands whose blocks have different sizes.
// EXPECT: ashlar::elementwise: the axis shards different dimensions of the operands, or in another order or in other blocks; redistribute one of them
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<cyclic("p", 2)>>(m, {8}), y = make<float, layout<cyclic("p", 2)>>(m, {8});
constexpr auto z = x + y;
#else
constexpr auto x = make<float, layout<cyclic("p", 2)>>(m, {8});
constexpr auto y = make<float, layout<cyclic("p", 4)>>(m, {8});
constexpr auto z = x + y;
#endif
