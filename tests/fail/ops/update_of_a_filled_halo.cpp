// An update in place after which the halo would hold old cells.
// EXPECT: ashlar::assign: the update would leave old cells in a halo that is filled; write auto y = as_stale\(x\), and update y
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});

int main() {
  auto u = make<double, layout<halo("y", 1), halo("x", 1)>>(m, {8, 8});
#ifdef ASHLAR_CONTROL
  auto y = as_stale(u);
  y += u;
#else
  u += u;
#endif
}
