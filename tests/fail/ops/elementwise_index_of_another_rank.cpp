// A function that takes the index of a vector, on a matrix.
// EXPECT: ashlar::elementwise: the function takes one element of each tensor, and before them cell_index<N> if it wants the index; N is the dimensions of the result
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">>;
constexpr abstract_mesh<grid> m(grid{{2}});
constexpr auto x = make<double, layout<"y", none>>(m, {8, 3});

#ifdef ASHLAR_CONTROL
constexpr auto y = elementwise([](cell_index<2> const& at, double v) { return v + static_cast<double>(at[0]); }, x);
#else
constexpr auto y = elementwise([](cell_index<1> const& at, double v) { return v + static_cast<double>(at[0]); }, x);
#endif
