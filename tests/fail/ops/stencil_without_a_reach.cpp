// A stencil that does not say what it reads.
// EXPECT: ashlar::stencil: the functor does not say what it reads
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
constexpr auto u = make<double, stale<field>>(m, {8, 8});

struct average {
#ifdef ASHLAR_CONTROL
  static constexpr auto reach = box(1, 1);
#endif
  constexpr double operator()(auto const& v) const { return v(-1, 0) + v(1, 1); }
};
constexpr auto y = stencil(average{}, exchange_halo(u));
