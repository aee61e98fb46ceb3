// Elements by an index along a dimension that an axis shards.
// EXPECT: ashlar::take_along: the axis shards the dimension along which elements are taken; all_gather it, or all_to_all the axis to another dimension
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = take_along<1>(x, cast<int>(x));
#else
constexpr auto y = take_along<0>(x, cast<int>(x));
#endif
