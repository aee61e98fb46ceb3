// Elements of a partial maximum by an index.
// EXPECT: ashlar::take_along: the index is partial, or the tensor by another reduction than the sum; all_reduce it first
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, partial<layout<"x", none>, "y", op::max>>(m, {4, 6});
constexpr auto places = make<int, layout<"x", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = take_along<1>(all_reduce(x), places);
#else
constexpr auto y = take_along<1>(x, places);
#endif
