// The largest elements of a block-cyclic dimension, whose parts are not in the order of their indices.
// EXPECT: ashlar::sort: the dimension is block-cyclic over the axis, so a rank's elements do not follow each other; redistribute it to an even split first
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
