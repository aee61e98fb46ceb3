// Stencils and updates whose functor does not fit the tensor.
// EXPECT: ashlar::stencil: an offset has one number per dimension
// EXPECT: ashlar::stencil: the functor's reach has more dimensions than the tensor; write one width per dimension
// EXPECT: ashlar::repeated: a functor is repeated 1 or more times; write repeated<2>\(f\)
// EXPECT: ashlar::update: the functor returns another type than the elements; return this type
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;
constexpr abstract_mesh<line> m(line{{2}});
using field = layout<halo("x", 1)>;
constexpr auto u = make<double, stale<field>>(m, {8});
#ifdef ASHLAR_CONTROL
constexpr int times = 1;
using result = double;
#else
constexpr int times = 0;
using result = float;
#endif
struct left {
  static constexpr auto reach = star(1);
#ifdef ASHLAR_CONTROL
  constexpr double operator()(auto const& v) const { return v(-1); }
#else
  constexpr double operator()(auto const& v) const { return v(-1, 0); }
#endif
};
struct wide {
#ifdef ASHLAR_CONTROL
  static constexpr auto reach = star(1);
#else
  static constexpr auto reach = star(1, 1);
#endif
  constexpr double operator()(auto const& v) const { return v(-1); }
};
struct relaxed {
  static constexpr auto reach = star(1);
  constexpr result operator()(auto const& v) const { return static_cast<result>(v(-1)); }
};

constexpr auto program = [] {
  (void)stencil(left{}, exchange_halo(u));
  (void)stencil(wide{}, exchange_halo(u));
  (void)repeated<times>(relaxed{});
  auto y = u;
  update(relaxed{}, colour(0, 2), y);
};
