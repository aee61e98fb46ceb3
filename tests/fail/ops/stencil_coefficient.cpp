// A coefficient has no components, and an operand has the dimensions of the first or of the reach.
// EXPECT: ashlar::stencil: an operand has other dimensions than the first; give it the same, or if the first has components, the dimensions of the reach alone
// EXPECT: ashlar::stencil: an offset has one number per dimension
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
constexpr abstract_mesh<mesh<axis<"y">, axis<"x">>> m({{2, 2}});
constexpr auto u = exchange_halo(make<double, stale<layout<halo("y", 1), halo("x", 1), none>>>(m, {8, 8, 3}));
constexpr auto k = make<double, layout<"y", "x">>(m, {8, 8});

struct right {
  static constexpr auto reach = star(1, 1);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& v, auto const& c) const { return c(0, 0) * v(1, 0); }
};
struct reads_a_component {
  static constexpr auto reach = star(1, 1);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& v, auto const& c) const { return c(0, 0, 0) * v(1, 0); }
};

constexpr auto program = [] {
#ifdef ASHLAR_CONTROL
  (void)stencil(right{}, u, k);
#else
  (void)stencil(right{}, u, make<double, layout<"y">>(m, {8}));
  (void)stencil(reads_a_component{}, u, k);
#endif
};
