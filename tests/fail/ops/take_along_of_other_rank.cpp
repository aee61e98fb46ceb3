// An index of another number of dimensions.
// EXPECT: ashlar::take_along: the index has another number of dimensions than the tensor; expand it
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = take_along<1>(x, cast<int>(x));
#else
constexpr auto y = take_along<1>(x, make<int, layout<"x">>(m, {4}));
#endif
