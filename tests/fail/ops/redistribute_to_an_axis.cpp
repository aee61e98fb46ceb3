// The target of a redistribution as an axis.
// EXPECT: ashlar::redistribute: name the layout of the result; write redistribute<layout<\.\.\.>>\(x\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using line = mesh<axis<"data">>;
constexpr line m{{2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = redistribute<layout<none, "data">>(x);
#else
constexpr auto y = redistribute<"data">(x);
#endif
