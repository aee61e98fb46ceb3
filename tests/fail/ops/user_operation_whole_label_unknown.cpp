// A label that is to be whole, and that no operand has.
// EXPECT: ashlar::user_operation: a label that is to be whole is in no operand
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
struct scan : user_operation<"bt->bt", "t"> {};
constexpr auto y = apply(scan{}, make<float, layout<"data", none>>(m, {8, 4}));
#else
struct scan : user_operation<"bt->bt", "s"> {};
constexpr auto y = apply(scan{}, make<float, layout<"data", none>>(m, {8, 4}));
#endif
