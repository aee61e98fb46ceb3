// An extent below zero, in a constant expression.
// EXPECT: ashlar::make: an extent is 0 or more
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"data">>(m, {0});
#else
constexpr auto x = make<float, layout<"data">>(m, {-1});
#endif
