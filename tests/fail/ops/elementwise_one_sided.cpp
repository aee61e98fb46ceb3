// A sum of a sharded and a whole tensor.
// EXPECT: ashlar::elementwise: the axis shards a dimension of one operand that is whole in the other
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto b = make<float, layout<none>>(m, {4});
constexpr auto y = x + b;
#else
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto b = make<float, layout<none, none>>(m, {8, 4});
constexpr auto y = x + b;
#endif
