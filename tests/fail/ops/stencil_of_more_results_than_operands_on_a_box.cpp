// Several results on a box, of which one has no operand whose values it keeps.
// EXPECT: ashlar::stencil: outside the box result i keeps operand i, which has another element type or is missing
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
struct differences {
  static constexpr auto reach = star(1, 1);
  constexpr auto operator()(auto const& u) const { return several(u(1, 0), u(0, 1)); }
};
constexpr auto u = exchange_halo(make<double, stale<field>>(m, {8, 8}));

#ifdef ASHLAR_CONTROL
constexpr auto y = stencil(differences{}, u);
#else
constexpr auto y = stencil(differences{}, inside(1), u);
#endif
