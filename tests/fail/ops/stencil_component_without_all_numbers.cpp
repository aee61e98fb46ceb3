// A component of a tensor per cell, by one number.
// EXPECT: ashlar::stencil: a component is read by an offset and one number for each dimension of components
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">>;
constexpr abstract_mesh<grid> m(grid{{2}});

struct second {
  static constexpr auto reach = star(1);
#ifdef ASHLAR_CONTROL
  constexpr double operator()(auto const& u) const { return u(-1, 1, 0); }
#else
  constexpr double operator()(auto const& u) const { return u(-1, 1); }
#endif
};
constexpr auto u = make<double, stale<layout<halo("y", 1), none, none>>>(m, {8, 2, 2});
constexpr auto y = stencil(second{}, exchange_halo(u));
