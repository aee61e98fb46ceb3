// A matrix and a vector in one tensor.
// EXPECT: ashlar::concatenate: the operands have different numbers of dimensions; unflatten one of them
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = concatenate<0>(x, x);
#else
constexpr auto y = concatenate<0>(x, make<float, layout<"x">>(m, {4}));
#endif
