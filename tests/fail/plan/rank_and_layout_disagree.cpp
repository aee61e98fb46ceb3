// More extents than the layout has dimensions.
// EXPECT: ashlar::make: the layout has another number of dimensions than the extents
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"data", none>>(m, {8, 3});
#else
constexpr auto x = make<float, layout<"data">>(m, {8, 3});
#endif
