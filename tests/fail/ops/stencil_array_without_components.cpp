// A functor that returns an array of components, for a tensor that has none.
// EXPECT: ashlar::stencil: the functor returns an array of components, but its reach has all dimensions of the tensor; store the components in one dimension more
// ONE ERROR
#include "ashlar/ops/ops.hpp"
#include <array>

using namespace ashlar;
using grid = mesh<axis<"y">>;
constexpr abstract_mesh<grid> m(grid{{2}});

struct pair {
  static constexpr auto reach = star(1);
  constexpr auto operator()(auto const& u) const {
#ifdef ASHLAR_CONTROL
    return std::array<double, 2>{u(-1, 0), u(1, 1)};
#else
    return std::array<double, 2>{u(-1), u(1)};
#endif
  }
};

#ifdef ASHLAR_CONTROL
constexpr auto u = make<double, stale<layout<halo("y", 1), none>>>(m, {8, 2});
#else
constexpr auto u = make<double, stale<layout<halo("y", 1)>>>(m, {8});
#endif
constexpr auto y = stencil(pair{}, exchange_halo(u));
