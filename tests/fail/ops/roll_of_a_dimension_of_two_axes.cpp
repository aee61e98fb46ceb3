// Rolling along one of two axes that split a dimension: elements would leave for ranks along the other.
// EXPECT: ashlar::roll: no dimension is split by the axis alone
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<axes("data", "model"), none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = roll<axes("data", "model")>(x);
#else
constexpr auto y = roll<"model">(x);
#endif
