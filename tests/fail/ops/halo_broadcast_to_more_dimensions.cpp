// A tensor with a halo beside one that has more dimensions.
// EXPECT: ashlar::elementwise: the result is split otherwise than the operand with a halo, or is partial beside a given edge or by no sum; write owned\(x\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto u = make<double, stale<layout<halo("y", 1), halo("x", 1)>>>(m, {8, 8});
constexpr auto v = make<double, layout<none, "y", "x">>(m, {3, 8, 8});

#ifdef ASHLAR_CONTROL
constexpr auto y = owned(u) * v;
#else
constexpr auto y = u * v;
#endif
