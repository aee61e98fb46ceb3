// Dimensions joined of which the first is block-cyclic.
// EXPECT: ashlar::flatten: a dimension that is joined or cut is block-cyclic
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto y = flatten<0, 1>(make<float, layout<"p", none>>(m, {8, 4}));
#else
constexpr auto y = flatten<0, 1>(make<float, layout<cyclic("p", 2), none>>(m, {8, 4}));
#endif
