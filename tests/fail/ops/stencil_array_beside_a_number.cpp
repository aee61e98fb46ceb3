// A functor with several results, of which one is an array of components.
// EXPECT: ashlar::stencil: some results of the functor are arrays of components and others are not; return arrays of one size, or no array
// ONE ERROR
#include "ashlar/ops/ops.hpp"
#include <array>

using namespace ashlar;
using grid = mesh<axis<"y">>;
constexpr abstract_mesh<grid> m(grid{{2}});
using pair = std::array<double, 2>;

struct both {
  static constexpr auto reach = star(1);
  constexpr auto operator()(auto const& u) const {
#ifdef ASHLAR_CONTROL
    return several(pair{u(-1, 0), u(1, 0)}, pair{u(0, 1), u(0, 0)});
#else
    return several(pair{u(-1, 0), u(1, 0)}, u(0, 1));
#endif
  }
};
constexpr auto u = make<double, stale<layout<halo("y", 1), none>>>(m, {8, 2});
constexpr auto y = stencil(both{}, exchange_halo(u));
