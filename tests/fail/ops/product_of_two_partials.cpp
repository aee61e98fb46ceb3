// A product of two partial sums.
// EXPECT: ashlar::elementwise: a product of two partial sums
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto y = p * all_reduce<"model">(p);
#else
constexpr auto p = make<float, partial<layout<"data", none>, "model">>(m, {8, 4});
constexpr auto y = p * p;
#endif
