// The largest element of a sum that is still partial.
// EXPECT: ashlar::reduce: the tensor is partial over the axis by another reduction
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto y = sum<1>(p);
#else
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto y = max<1>(p);
#endif
