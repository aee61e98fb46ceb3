// Rolling where a dimension is block-cyclic: neighbours are on other ranks.
// EXPECT: ashlar::roll: no dimension is split by the axis alone, into neighbouring elements
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};

#ifdef ASHLAR_CONTROL
constexpr auto y = roll<"data">(make<float, layout<"data", none>>(m, {8, 4}));
#else
constexpr auto y = roll<"data">(make<float, layout<cyclic("data", 2), none>>(m, {8, 4}));
#endif
