// A pending bundle of halos, of which one is filled already.
// EXPECT: ashlar::exchange_halo: the halo holds its neighbours' cells already; leave the call out
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto u = make<double, stale<field>>(m, {8, 8});

#ifdef ASHLAR_CONTROL
constexpr auto v = u;
#else
constexpr auto v = exchange_halo(u);
#endif
constexpr auto y = exchange_halo_async(bundle(u, v)).wait();
