// A stencil that reads further than the halo is wide.
// EXPECT: ashlar::stencil: the functor reads further than the halo is wide
// EXPECT: halo_narrower_than_the_reach<1, 1, 1,.*room<1, 1,.*room<0, 0,
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto u = make<double, stale<field>>(m, {8, 8});

struct average {
  static constexpr auto reach = box(1, 1);
  constexpr double operator()(auto const& v) const { return v(-1, 0) + v(1, 1); }
};

#ifdef ASHLAR_CONTROL
constexpr auto y = stencil(average{}, exchange_halo(u));
#else
constexpr auto v = make<double, stale<layout<halo("y", 1), "x">>>(m, {8, 8});
constexpr auto y = stencil(average{}, exchange_halo(v));
#endif
