// A whole tensor added to a pending sum: the message says as_partial.
// EXPECT: ashlar::elementwise: a sum pends over the axis in one operand only.*as_partial<axis>
#include "ashlar/plan/plan.hpp"

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
