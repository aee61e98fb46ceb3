// An elementwise operation on a tensor with a halo.
// EXPECT: ashlar: this function takes no tensor with a halo; write owned\(x\)
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto u = make<double, stale<field>>(m, {8, 8});

#ifdef ASHLAR_CONTROL
constexpr auto y = exp(owned(u));
#else
constexpr auto y = exp(u);
#endif
