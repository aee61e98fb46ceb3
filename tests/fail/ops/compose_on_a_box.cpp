// Composed functors on a box of cells.
// EXPECT: ashlar::compose: composed functors read one field and compute all cells; call stencil for each
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
struct smooth {
  static constexpr auto reach = star(1, 1);
  constexpr auto operator()(auto const& u) const { return u(0, 0) + u(1, 0) + u(0, 1); }
};
using field = layout<halo("y", 2), halo("x", 2)>;
constexpr auto u = exchange_halo(make<double, stale<field>>(m, {8, 8}));

#ifdef ASHLAR_CONTROL
constexpr auto y = stencil(repeated<2>(smooth{}), u);
#else
constexpr auto y = stencil(repeated<2>(smooth{}), inside(1), u);
#endif
