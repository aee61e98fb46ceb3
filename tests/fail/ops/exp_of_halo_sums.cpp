// A function that is not linear on a halo of sums.
// EXPECT: ashlar::elementwise: the halo holds sums, which only \+, - and scaling take; write add_halo\(x\) first
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto u = make<double, halo_sums<field>>(m, {8, 8});

#ifdef ASHLAR_CONTROL
constexpr auto y = exp(add_halo(2. * u + u));
#else
constexpr auto y = exp(u);
#endif
