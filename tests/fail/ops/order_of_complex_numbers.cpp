// Pairs of numbers, which nothing orders.
// EXPECT: ashlar::elementwise: elements of this type have no order
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">>;
constexpr grid m{{2}};

struct pair {
  float first, second;
  friend constexpr bool operator==(pair const&, pair const&) = default;
};
constexpr auto x = make<pair, layout<"data">>(m, {8});

#ifdef ASHLAR_CONTROL
constexpr auto y = x == x;
#else
constexpr auto y = x < x;
#endif
