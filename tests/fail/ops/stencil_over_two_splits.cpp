// A stencil over operands that are split differently.
// EXPECT: ashlar::stencil: the operands are split differently
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto u = make<double, stale<field>>(m, {8, 8});

struct total {
  static constexpr auto reach = star(1, 1);
  constexpr double operator()(auto const& v, auto const& w) const { return v(1, 0) + w(0, 0); }
};
#ifdef ASHLAR_CONTROL
constexpr auto y = stencil(total{}, exchange_halo(u), owned(u));
#else
constexpr auto y = stencil(total{}, exchange_halo(u), make<double, layout<"x", "y">>(m, {8, 8}));
#endif
