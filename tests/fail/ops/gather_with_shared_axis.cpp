// A table and an index that name one axis.
// EXPECT: ashlar::take: the axis is named by the table and by the index
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto t = make<float, layout<"model", none>>(m, {8, 4});
constexpr auto i = make<int, layout<"data">>(m, {8});
constexpr auto y = take(t, i);
#else
constexpr auto t = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto i = make<int, layout<"data">>(m, {8});
constexpr auto y = take(t, i);
#endif
