// Running sums of elements without an operator +.
// EXPECT: ashlar::cumsum: elements of this type have no sum; give the type an operator \+
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};

struct pair {
  float first, second;
};
#ifdef ASHLAR_CONTROL
using element = float;
#else
using element = pair;
#endif
constexpr auto y = cumsum<0>(make<element, layout<"x", none>>(m, {4, 6}));
