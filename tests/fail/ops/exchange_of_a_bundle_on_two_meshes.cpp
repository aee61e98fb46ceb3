// A bundle of fields that are on different meshes.
// EXPECT: ashlar::exchange_halo: the bundle's fields are on different meshes; exchange each by itself
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
#ifdef ASHLAR_CONTROL
using other = grid;
#else
using other = mesh<axis<"x">, axis<"y">>;
#endif
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr abstract_mesh<other> n(other{{2, 2}});
constexpr auto u = make<double, stale<field>>(m, {8, 8});
constexpr auto v = make<double, stale<field>>(n, {8, 8});
constexpr auto y = exchange_halo(bundle(u, v));
