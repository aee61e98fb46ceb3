// Dimensions joined of which the first is dealt.
// EXPECT: ashlar::merge: the axis deals blocks of a dimension
#include "ashlar/plan/plan.hpp"

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto y = merge<0, 1>(make<float, layout<"p", none>>(m, {8, 4}));
#else
constexpr auto y = merge<0, 1>(make<float, layout<cyclic("p", 2), none>>(m, {8, 4}));
#endif
