// A slice whose layout has another number of dimensions.
// EXPECT: ashlar::slice: the layout has another number of dimensions than the tensor; write one spec per dimension
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = slice<layout<none, "y">>(x, {0, 0}, {2, 3});
#else
constexpr auto y = slice<layout<none>>(x, {0, 0}, {2, 3});
#endif
