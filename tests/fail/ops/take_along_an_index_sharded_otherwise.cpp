// An index that is sharded otherwise than the tensor.
// EXPECT: ashlar::take_along: the axis shards the index otherwise than the tensor; redistribute one of them
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = take_along<1>(x, make<int, layout<"x", none>>(m, {4, 6}));
#else
constexpr auto y = take_along<1>(x, make<int, layout<"y", none>>(m, {4, 6}));
#endif
