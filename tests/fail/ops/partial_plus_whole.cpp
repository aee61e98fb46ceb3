// A whole tensor added to a partial sum: the message says as_partial.
// EXPECT: ashlar::elementwise: only one operand is partial over the axis.*as_partial<axis>
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto b = make<float, layout<none>>(m, {4});
constexpr auto y = p + as_partial<"model">(make<float, layout<"data", none>>(m, {8, 4}));
#else
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto b = make<float, layout<none>>(m, {4});
constexpr auto y = p + b;
#endif
