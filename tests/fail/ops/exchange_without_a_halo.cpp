// An exchange of no halo.
// EXPECT: ashlar::exchange_halo: the tensor has no halo
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto u = make<double, stale<field>>(m, {8, 8});

#ifdef ASHLAR_CONTROL
constexpr auto y = exchange_halo(u);
#else
constexpr auto y = exchange_halo(owned(u));
#endif
