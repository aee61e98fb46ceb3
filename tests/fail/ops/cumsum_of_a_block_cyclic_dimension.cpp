// Sums along a block-cyclic dimension: a rank has no elements that follow each other.
// EXPECT: ashlar::cumsum: the dimension is block-cyclic over the axis, so a rank.s elements do not follow each other; redistribute it to an even split first
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<cyclic("x", 2), none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = cumsum<1>(x);
#else
constexpr auto y = cumsum<0>(x);
#endif
