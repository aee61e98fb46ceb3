// The derivative of several results on a box.
// EXPECT: ashlar::stencil: a functor of several results has no derivative on a box; leave inside\(n\) out
#include "ashlar/autodiff/autodiff.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
using field = layout<halo("y", 1), halo("x", 1)>;
struct differences {
  static constexpr auto reach = star(1, 1);
  static constexpr linearity kind = linearity::linear;
  constexpr auto operator()(auto const& u, auto const& v) const { return several(u(1, 0) + v(0), u(0, 1)); }
};
constexpr auto loss = [](auto const& u) {
#ifdef ASHLAR_CONTROL
  auto const [a, b] = stencil(differences{}, exchange_halo(u), u);
#else
  auto const [a, b] = stencil(differences{}, inside(1), exchange_halo(u), u);
#endif
  return all_reduce(sum(a * b));
};
auto const program = [](auto const& m) { (void)value_and_grad<none>(loss)(make<double, stale<field>>(m, {8, 8})); };
auto const cost = collectives(grid{{2, 2}}, program);
