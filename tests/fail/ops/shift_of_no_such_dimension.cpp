// A shift along a dimension that the tensor lacks.
// EXPECT: ashlar::shift: the tensor has no such dimension; they count from 0
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = shift<1>(x, 2);
#else
constexpr auto y = shift<2>(x, 2);
#endif
