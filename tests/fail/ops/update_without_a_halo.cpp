// A stencil that updates a tensor without a halo in place.
// EXPECT: ashlar::exchange_halo: the tensor has no halo; make it with a layout that has one, as halo\("x", 1\)
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});

struct average {
  static constexpr auto reach = star(1, 0);
  ASHLAR_FUNCTION constexpr auto operator()(auto const& u) const { return 0.5 * (u(-1, 0) + u(1, 0)); }
};

int main() {
#ifdef ASHLAR_CONTROL
  auto u = make<double, stale<layout<halo("y", 1), "x">>>(m, {8, 8});
#else
  auto u = make<double, layout<"y", "x">>(m, {8, 8});
#endif
  update(average{}, colour(0, 2), u);
}
