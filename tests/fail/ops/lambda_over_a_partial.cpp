// A lambda over a partial sum: nothing says that it is linear.
// EXPECT: ashlar::elementwise: a function of the program takes no partial operand; all_reduce it first, or if the function is linear write elementwise<linearity::linear>
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<float, partial<layout<none>, "data">>(m, {8});
constexpr auto twice = [](float v) { return 2 * v; };

#ifdef ASHLAR_CONTROL
constexpr auto y = elementwise<linearity::linear>(twice, x);
#else
constexpr auto y = elementwise(twice, x);
#endif
