// The same in a functor that the compiler cannot run: it is made at run time.
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
  explicit difference(double s) : scale(s) {}
  double scale;
#ifdef ASHLAR_CONTROL
  double operator()(auto const& v) const { return scale * (v(0, 0) - v(-1, 0)); }
#else
  double operator()(auto const& v) const { return scale * (v(0) - v(-1)); }
#endif
};
double const scale = 2;
auto const y = stencil(difference{scale}, exchange_halo(u));
