// An index of real numbers.
// EXPECT: ashlar::take_along: the elements of the index are no integers; write cast<int>\(index\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = take_along<1>(x, cast<int>(x));
#else
constexpr auto y = take_along<1>(x, x);
#endif
