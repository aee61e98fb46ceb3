// Tensors of two element types in one.
// EXPECT: ashlar::concatenate: the operands have different element types; write cast<T>\(x\) for one of them
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = concatenate<0>(x, x);
#else
constexpr auto y = concatenate<0>(x, make<double, layout<"x", none>>(m, {4, 6}));
#endif
