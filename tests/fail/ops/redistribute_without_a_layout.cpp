// A redistribution that leaves its target open.
// EXPECT: ashlar::redistribute: name the layout of the result
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = redistribute<layout<none, "data">>(x);
#else
constexpr auto y = redistribute(x);
#endif
