// One index of no dimension.
// EXPECT: ashlar::select: the tensor is a scalar; it has no dimension of which to take one index
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<none, "data">>(m, {3, 8});

#ifdef ASHLAR_CONTROL
constexpr auto y = select(x, 0);
#else
constexpr auto y = select(sum(x), 0);
#endif
