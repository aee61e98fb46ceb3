// A sort of a partial tensor along a dimension that another axis shards.
// EXPECT: ashlar::sort: the tensor is partial over the axis, so no rank knows an element; all_reduce or reduce_scatter it first
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, layout<"x", none>>(m, {4, 6});
#else
constexpr auto x = make<float, partial<layout<"x", none>, "y">>(m, {4, 6});
#endif
constexpr auto y = sort<0>(x);
