// The largest elements of a block-cyclic dimension, whose parts are not in the order of their indices.
// EXPECT: ashlar::sort: the axis shards the dimension that is sorted; all_gather it, or all_to_all the axis to another dimension
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});
#else
constexpr auto x = make<float, layout<cyclic("x", 2), none>>(m, {4, 6});
#endif
constexpr auto y = top_k<0>(x, 2);
