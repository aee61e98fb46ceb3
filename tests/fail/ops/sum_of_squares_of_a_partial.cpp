// Squares of what is a sum only when it is reduced.
// EXPECT: ashlar::sum_of_squares: the tensor is partial over the axis, and the square of a sum is no sum of squares
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, partial<layout<none>, "data">>(m, {8});

#ifdef ASHLAR_CONTROL
constexpr auto y = sum_of_squares(all_reduce<"data">(x));
#else
constexpr auto y = sum_of_squares(x);
#endif
