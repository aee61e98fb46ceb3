// The largest elements of a partial sum: no rank knows an element.
// EXPECT: ashlar::sort: the tensor is partial over the axis, so no rank knows an element; all_reduce or reduce_scatter it first
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, partial<layout<"x", none>, "y">>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = top_k<1>(all_reduce(x), 2);
#else
constexpr auto y = top_k<1>(x, 2);
#endif
