// The derivative by a second operand that is read beside the cell.
// EXPECT: ashlar::stencil: the derivative with respect to an operand that is not the first, and is read beside the cell, is not built
#include "ashlar/autodiff/autodiff.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
using field = layout<halo("y", 1), halo("x", 1)>;
struct both {
  static constexpr auto reach = reaches(star(1, 1), star(1, 1));
  static constexpr linearity kind = linearity::linear;
  constexpr auto operator()(auto const& u, auto const& v) const { return u(1, 0) + v(0, 1); }
};
constexpr auto loss = [](auto const& u) {
  auto const y = exchange_halo(u);
#ifdef ASHLAR_CONTROL
  auto const s = stencil(both{}, y, stop_gradient(y));
#else
  auto const s = stencil(both{}, y, y);
#endif
  return all_reduce(sum(s * s));
};
auto const program = [](auto const& m) { (void)value_and_grad<none>(loss)(make<double, stale<field>>(m, {8, 8})); };
auto const cost = collectives(grid{{2, 2}}, program);
