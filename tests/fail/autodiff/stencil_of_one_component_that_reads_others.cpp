// The derivative of a functor that returns one component and reads another one.
// EXPECT: ashlar::stencil: the functor reads any component and returns its own; for a derivative or an update, return an array of all components
// ONE ERROR
#include "ashlar/autodiff/autodiff.hpp"
#include <array>

using namespace ashlar;
using grid = mesh<axis<"y">>;

struct second {
  static constexpr auto reach = star(1);
  static constexpr linearity kind = linearity::linear;
#ifdef ASHLAR_CONTROL
  constexpr auto operator()(auto const& u) const { return std::array<double, 2>{u(-1, 1), u(1, 0)}; }
#else
  constexpr double operator()(auto const& u) const { return u(-1, 1); }
#endif
};
constexpr auto loss = [](auto const& u) { return all_reduce(sum(stencil(second{}, exchange_halo(u)))); };
constexpr auto program = [](auto const& m) {
  (void)value_and_grad<none>(loss)(make<double, stale<layout<halo("y", 1), none>>>(m, {8, 2}));
};
static_assert(collectives(grid{{2}}, program).count() == 3);
