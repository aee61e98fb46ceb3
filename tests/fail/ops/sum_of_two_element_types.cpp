// Operands of float and of double, in a dry run too.
// EXPECT: ashlar::elementwise: the operands have different element types; write cast<T>\(x\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};

#ifdef ASHLAR_CONTROL
using element = float;
#else
using element = double;
#endif
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto y = make<element, layout<"data", none>>(m, {8, 4});
constexpr auto z = x + y;
