// A sort along a dimension that an axis shards.
// EXPECT: ashlar::sort: the axis shards the dimension that is sorted; all_gather it, or all_to_all the axis to another dimension
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = sort<1>(x);
#else
constexpr auto y = sort<0>(x);
#endif
