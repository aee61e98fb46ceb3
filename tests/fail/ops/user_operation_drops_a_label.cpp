// A user's operation whose result lacks a label that is not whole.
// EXPECT: ashlar::user_operation: the result lacks a label that is not whole
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
struct total : user_operation<"bt->b", "t"> {};
constexpr auto y = apply(total{}, make<float, layout<"data", none>>(m, {8, 4}));
#else
struct total : user_operation<"bt->b"> {};
constexpr auto y = apply(total{}, make<float, layout<"data", none>>(m, {8, 4}));
#endif
