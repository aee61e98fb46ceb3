// A functor that returns all components, and reads one without its number.
// EXPECT: ashlar::stencil: a functor that returns all components has none of its own; name the component that it reads, as u\(-1, 0, c\)
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
    return std::array<double, 2>{u(-1, 0), u(1)};
#endif
  }
};
constexpr auto u = make<double, stale<layout<halo("y", 1), none>>>(m, {8, 2});
constexpr auto y = stencil(pair{}, exchange_halo(u));
