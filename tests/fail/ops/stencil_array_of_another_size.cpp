// A functor that returns more components than the tensor has.
// EXPECT: ashlar::stencil: return an array of one element for each component
#include "ashlar/ops/ops.hpp"
#include <array>

using namespace ashlar;
using grid = mesh<axis<"y">>;
constexpr abstract_mesh<grid> m(grid{{2}});

struct pair {
  static constexpr auto reach = star(1);
  constexpr auto operator()(auto const& u) const { return std::array<double, 2>{u(-1, 0), u(1, 0)}; }
};

#ifdef ASHLAR_CONTROL
constexpr auto u = make<double, stale<layout<halo("y", 1), none>>>(m, {8, 2});
#else
constexpr auto u = make<double, stale<layout<halo("y", 1), none>>>(m, {8, 3});
#endif
constexpr auto y = stencil(pair{}, exchange_halo(u));
