// A function of the index is nonlinear, so it takes no partial operand.
// EXPECT: ashlar::elementwise: a function of the program takes no partial operand; all_reduce it first, or if the function is linear write elementwise<linearity::linear>
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">>;
constexpr abstract_mesh<grid> m(grid{{2}});
constexpr auto x = make<double, partial<layout<none>, "y">>(m, {8});
constexpr auto shifted = [](cell_index<1> const& at, double v) { return v + static_cast<double>(at[0]); };

#ifdef ASHLAR_CONTROL
constexpr auto y = elementwise(shifted, all_reduce(x));
#else
constexpr auto y = elementwise(shifted, x);
#endif
