// A factor of each row that all ranks hold whole, where the rows are sharded.
// EXPECT: ashlar::expand: the tensor is sharded otherwise
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto s = make<float, layout<"data">>(m, {8});
#else
constexpr auto s = make<float, layout<none>>(m, {8});
#endif
constexpr auto y = expand<1>(s, make<float, layout<"data", "model">>(m, {8, 4}));
