// A composed functor that reads mirrored cells of which it has no images.
// EXPECT: ashlar::compose: beyond an edge that mirrors, a functor after the first reads as far below as above
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
struct upwind {
  static constexpr auto reach = star({1, 0}, {0, 0});
  constexpr auto operator()(auto const& u) const { return u(0, 0) - u(-1, 0); }
};
#ifdef ASHLAR_CONTROL
using field = layout<halo("y", 2, edge::copy), "x">;
#else
using field = layout<halo("y", 2, edge::mirror), "x">;
#endif
constexpr auto u = exchange_halo(make<double, stale<field>>(m, {8, 8}));
constexpr auto y = stencil(repeated<2>(upwind{}), u);
