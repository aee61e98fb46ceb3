// A comparison of a partial sum: no rank knows the sum.
// EXPECT: ashlar::elementwise: the function does not commute with the operand's reduction
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<float, partial<layout<none>, "data">>(m, {8});

#ifdef ASHLAR_CONTROL
constexpr auto y = all_reduce(x) > 0.f;
#else
constexpr auto y = x > 0.f;
#endif
