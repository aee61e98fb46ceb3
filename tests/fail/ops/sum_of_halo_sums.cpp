// A reduction of a tensor whose halo holds sums.
// EXPECT: ashlar::reduce: the halo holds sums, which only \+, - and scaling take; write add_halo\(x\) first
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto u = make<double, halo_sums<field>>(m, {8, 8});

#ifdef ASHLAR_CONTROL
constexpr auto y = sum(add_halo(u));
#else
constexpr auto y = sum(u);
#endif
