// A user's operation on a tensor of another rank than its equation says.
// EXPECT: ashlar::user_operation: an operand has another number of dimensions than the equation gives it
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
struct scan : user_operation<"bt->bt", "t"> {};

#ifdef ASHLAR_CONTROL
constexpr auto y = apply(scan{}, make<float, layout<"data", none>>(m, {8, 4}));
#else
constexpr auto y = apply(scan{}, make<float, layout<"data", none, none>>(m, {8, 4, 2}));
#endif
