// A user's operation of two tensors that shard a label differently.
// EXPECT: ashlar::user_operation: a label is sharded over the axis in one operand and not in another
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
struct mix : user_operation<"bt,b->bt", "t"> {};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = apply(mix{}, x, make<float, layout<"data">>(m, {8}));
#else
constexpr auto y = apply(mix{}, x, make<float, layout<none>>(m, {8}));
#endif
