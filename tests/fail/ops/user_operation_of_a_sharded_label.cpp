// A user's operation that needs a label whole, on a piece of it.
// EXPECT: ashlar::user_operation: the axis shards a label that the operation needs whole; all_gather it first
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
struct scan : user_operation<"bt->bt", "t"> {};

#ifdef ASHLAR_CONTROL
constexpr auto y = apply(scan{}, make<float, layout<"data", none>>(m, {8, 4}));
#else
constexpr auto y = apply(scan{}, make<float, layout<none, "data">>(m, {8, 4}));
#endif
