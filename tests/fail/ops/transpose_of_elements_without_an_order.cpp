// A partial maximum of pairs, which nothing orders, reduced on its way to another order of the dimensions.
// EXPECT: ashlar::transpose: elements of this type cannot be combined by the layout's reduction
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};

struct pair {
  float first, second;
};

#ifdef ASHLAR_CONTROL
using element = float;
#else
using element = pair;
#endif
constexpr auto y =
    transpose<layout<"data", none>, 1, 0>(make<element, partial<layout<none, none>, "data", op::max>>(m, {8, 6}));
