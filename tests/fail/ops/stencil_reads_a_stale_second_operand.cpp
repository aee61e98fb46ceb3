// A functor that reads its second operand beside the cell, whose halo is stale.
// EXPECT: ashlar::stencil: the halo is stale; write exchange_halo\(u\), or exchange_halo_async\(u\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
struct both {
  static constexpr auto reach = reaches(star(1, 1), star(1, 1));
  constexpr auto operator()(auto const& u, auto const& v) const { return u(1, 0) + v(0, 1); }
};
constexpr auto u = make<double, stale<field>>(m, {8, 8});

#ifdef ASHLAR_CONTROL
constexpr auto y = stencil(both{}, exchange_halo(u), exchange_halo(u));
#else
constexpr auto y = stencil(both{}, exchange_halo(u), u);
#endif
