// A stencil of two results that is to reduce them.
// EXPECT: ashlar::stencil_and_reduce: the functor gives several results; write stencil, and reduce each of its fields
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;
struct differences {
  static constexpr auto reach = star(1, 1);
#ifdef ASHLAR_CONTROL
  constexpr auto operator()(auto const& u) const { return u(1, 0) - u(0, 1); }
#else
  constexpr auto operator()(auto const& u) const { return several(u(1, 0), u(0, 1)); }
#endif
};
constexpr auto u = exchange_halo(make<double, stale<field>>(m, {8, 8}));
constexpr auto y = stencil_and_reduce(
    differences{}, [](auto const& x) { return sum(x * x); }, u);
