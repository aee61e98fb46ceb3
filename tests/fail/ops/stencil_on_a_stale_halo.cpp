// A stencil on a stale halo.
// EXPECT: ashlar::stencil: the halo is stale; write exchange_halo\(u\)
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
constexpr auto y = stencil(average{}, u);
#endif
