// all_reduce over an axis over which the tensor is not partial.
// EXPECT: ashlar::all_reduce: the innermost reduction of the tensor is not over the axis
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto y = all_reduce<"model">(p);
#else
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto y = all_reduce<"data">(p);
#endif
