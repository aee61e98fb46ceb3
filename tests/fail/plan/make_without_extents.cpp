// A tensor of a matrix' layout without extents; extents below 0 in a type; and one extent for a matrix.
// EXPECT: ashlar::make: give the extents, one per dimension of the layout
// EXPECT: ashlar::static_extents: an extent is 0 or more
// EXPECT: ashlar::fix_extents: give one extent for each dimension of the tensor
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

constexpr auto program = [] {
#ifdef ASHLAR_CONTROL
  auto const x = make<float, layout<"data", none>>(m, {8, 4});
  (void)make<float, layout<"data">>(m, static_extents<8>{});
  (void)fix_extents<8, 4>(x);
#else
  auto const x = make<float, layout<"data", none>>(m, {8, 4});
  (void)make<float, layout<"data", none>>(m);
  (void)make<float, layout<"data">>(m, static_extents<-8>{});
  (void)fix_extents<8>(x);
#endif
};
