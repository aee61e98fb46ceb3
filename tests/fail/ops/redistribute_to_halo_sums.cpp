// A redistribution to a halo of sums.
// EXPECT: ashlar::redistribute: a halo holds sums; write add_halo\(x\) first, and stale<H> as the result's layout
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto x = make<double, layout<"x", none>>(m, {8, 8});

#ifdef ASHLAR_CONTROL
constexpr auto y = redistribute<field>(x);
#else
constexpr auto y = redistribute<halo_sums<field>>(x);
#endif
