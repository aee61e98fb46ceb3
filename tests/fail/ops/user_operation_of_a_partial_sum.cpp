// A user's operation that is not linear, of a partial sum.
// EXPECT: ashlar::user_operation: the operation is not linear in an operand that is partial over the axis
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
struct scan : user_operation<"bt->bt", "t"> {};
struct linear_scan : user_operation<"bt->bt", "t", linearity::linear> {};
constexpr auto x = make<float, partial<layout<none, none>, "data">>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = apply(linear_scan{}, x);
#else
constexpr auto y = apply(scan{}, x);
#endif
