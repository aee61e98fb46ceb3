// An exchange of a halo that holds sums.
// EXPECT: ashlar::exchange_halo: the halo holds sums; write add_halo\(x\) first
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto u = make<double, halo_sums<field>>(m, {8, 8});

#ifdef ASHLAR_CONTROL
constexpr auto y = exchange_halo(add_halo(u));
#else
constexpr auto y = exchange_halo(u);
#endif
