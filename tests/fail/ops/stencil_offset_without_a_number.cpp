// A stencil of two dimensions that gives one number for an offset.
// EXPECT: ashlar::stencil: an offset has a number for each dimension of the functor's reach; write 0 where the cell is not moved, as u\(-1, 0\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto u = make<double, stale<field>>(m, {8, 8});

struct difference {
  static constexpr auto reach = star(1, 1);
#ifdef ASHLAR_CONTROL
  constexpr double operator()(auto const& v) const { return v(0, 0) - v(-1, 0); }
#else
  constexpr double operator()(auto const& v) const { return v(0) - v(-1); }
#endif
};
constexpr auto y = stencil(difference{}, exchange_halo(u));
