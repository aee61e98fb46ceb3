// The transpose of an exchange on a tensor whose halo holds no sums.
// EXPECT: ashlar::add_halo: the halo holds no sums; make the tensor with the layout halo_sums<H>
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto u = make<double, stale<field>>(m, {8, 8});

#ifdef ASHLAR_CONTROL
constexpr auto y = add_halo(make<double, halo_sums<field>>(m, {8, 8}));
#else
constexpr auto y = add_halo(u);
#endif
