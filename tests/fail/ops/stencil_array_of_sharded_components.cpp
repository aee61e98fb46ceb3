// A functor that returns an array of components, while an axis shards them.
// EXPECT: ashlar::stencil: the functor returns an array of components, but an axis shards the components; leave their dimension whole, by none
// ONE ERROR
#include "ashlar/ops/ops.hpp"
#include <array>

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"c">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});

struct pair {
  static constexpr auto reach = star(1);
  constexpr auto operator()(auto const& u) const { return std::array<double, 2>{u(-1, 0), u(1, 1)}; }
};

#ifdef ASHLAR_CONTROL
using field = layout<halo("y", 1), none>;
#else
using field = layout<halo("y", 1), "c">;
#endif
constexpr auto u = make<double, stale<field>>(m, {8, 2});
constexpr auto y = stencil(pair{}, exchange_halo(u));
