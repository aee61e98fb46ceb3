// A mean over a dimension that is named twice.
// EXPECT: ashlar::reduce: a dimension is named twice
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto y = mean<1, 0>(x);
#else
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto y = mean<1, 1>(x);
#endif
