// Sums of elements of type bool.
// EXPECT: ashlar::cumsum: elements of this type have no sum; write cast<int>\(x\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = cumsum<0>(cast<int>(x > 0.f));
#else
constexpr auto y = cumsum<0>(x > 0.f);
#endif
