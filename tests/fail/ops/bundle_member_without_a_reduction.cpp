// A bundle in which one member is not partial.
// EXPECT: ashlar::all_reduce: one member of the bundle is not partial over the axis
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto y = all_reduce<"model">(bundle(p, p));
#else
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto q = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto y = all_reduce<"model">(bundle(p, q));
#endif
