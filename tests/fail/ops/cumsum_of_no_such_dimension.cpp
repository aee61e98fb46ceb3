// Sums along a dimension that the tensor lacks.
// EXPECT: ashlar::cumsum: the tensor has no such dimension; they count from 0
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = cumsum<1>(x);
#else
constexpr auto y = cumsum<2>(x);
#endif
