// A whole tensor added to a partial sum: the message says as_partial.
// EXPECT: ashlar::elementwise: only one operand is partial over the axis, so the other would be added once per rank; all_reduce the first, or write as_partial<axis>\(other\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto b = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto y = p + as_partial<"model">(b);  // sends nothing; all_reduce<"model">(p) + b has one message
#else
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto b = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto y = p + b;
#endif
