// A mean over a dimension that the tensor does not have.
// EXPECT: ashlar::reduce: the tensor has no such dimension
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto y = mean<1>(x);
#else
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto y = mean<9>(x);
#endif
