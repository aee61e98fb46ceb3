// A contraction of static extents that differ: no call in a constant expression is needed to see it.
// EXPECT: ashlar::einsum: a label has different extents in the two operands
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

auto product(grid const& m) {
  auto const x = make<float, layout<"data", none>>(m, static_extents<128, 784>{});
#ifdef ASHLAR_CONTROL
  auto const w = make<float, layout<none, "model">>(m, static_extents<784, 200>{});
#else
  auto const w = make<float, layout<none, "model">>(m, static_extents<783, 200>{});
#endif
  return einsum<"bi,ih->bh">(x, w);
}
