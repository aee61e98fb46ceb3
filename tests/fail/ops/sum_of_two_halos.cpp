// Operands of one expression with different halos.
// EXPECT: ashlar::elementwise: two operands have different halos; write owned\(x\) for one of them
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto u = make<double, stale<layout<halo("y", 1), halo("x", 1)>>>(m, {8, 8});
constexpr auto v = make<double, stale<layout<halo("y", 1), halo("x", 2)>>>(m, {8, 8});

#ifdef ASHLAR_CONTROL
constexpr auto y = u + owned(v);
#else
constexpr auto y = u + v;
#endif
