// A stencil under differentiation whose functor says neither that it is linear nor what its slope is.
// EXPECT: ashlar::stencil: the functor has no derivative; give it static constexpr linearity kind = linearity::linear, or a member slope<I>\(offset, u...\)
// ONE ERROR
#include "ashlar/autodiff/autodiff.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), halo("x", 1)>;

struct average {
  static constexpr auto reach = star(1, 0);
#ifdef ASHLAR_CONTROL
  static constexpr linearity kind = linearity::linear;
#endif
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const { return 0.5 * (u(-1, 0) + u(1, 0)); }
};
constexpr auto loss = [](auto const& u) { return all_reduce(sum(stencil(average{}, exchange_halo(u)))); };
constexpr auto y = value_and_grad<none>(loss)(make<double, stale<field>>(m, {8, 8}));
