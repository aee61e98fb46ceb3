// A composed functor that reads three fields.
// EXPECT: ashlar::compose: a functor reads several fields; compose functors of one field
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
struct smooth {
  static constexpr auto reach = star(1, 1);
  constexpr auto operator()(auto const& u) const { return u(0, 0) + u(1, 0) + u(0, 1); }
};
struct product {
  static constexpr auto reach = star(0, 0);
#ifdef ASHLAR_CONTROL
  constexpr auto operator()(auto const& u) const { return u(0, 0) * u(0, 0); }
#else
  constexpr auto operator()(auto const& u, auto const& v, auto const& w) const { return u(0, 0) * v(0, 0) + w(0, 0); }
#endif
};
using field = layout<halo("y", 2), halo("x", 2)>;
constexpr auto u = exchange_halo(make<double, stale<field>>(m, {8, 8}));
constexpr auto y = stencil(compose(product{}, smooth{}), u);
