// A bundle with a partial maximum of pairs, which nothing orders.
// EXPECT: ashlar::bundle: elements of this type cannot be combined by the layout's reduction
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};

struct pair {
  float first, second;
};

#ifdef ASHLAR_CONTROL
constexpr auto y = all_reduce<"data">(bundle(make<float, partial<layout<none>, "data", op::max>>(m, {8})));
#else
constexpr auto y = all_reduce<"data">(bundle(make<pair, partial<layout<none>, "data", op::max>>(m, {8})));
#endif
