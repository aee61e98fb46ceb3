// A stencil that reads another component, while an axis shards the components.
// EXPECT: ashlar::stencil: the functor reads another component, but an axis shards the components; leave their dimension whole, by none
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"c">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});

struct second {
  static constexpr auto reach = star(1);
  constexpr double operator()(auto const& u) const { return u(-1, 1); }
};

#ifdef ASHLAR_CONTROL
using field = layout<halo("y", 1), none>;
#else
using field = layout<halo("y", 1), "c">;
#endif
constexpr auto u = make<double, stale<field>>(m, {8, 2});
constexpr auto y = stencil(second{}, exchange_halo(u));
