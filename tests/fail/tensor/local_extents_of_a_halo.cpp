// The local extents of a tensor with a halo, whose memory has larger extents.
// EXPECT: ashlar: this function takes no tensor with a halo; write owned\(x\)
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
using field = layout<halo("y", 1), halo("x", 1)>;

void f(device_mesh<grid> const& m) {
  auto const u = make<double, stale<field>>(m, {8, 8});
#ifdef ASHLAR_CONTROL
  (void)u.local_region().extents();
#else
  (void)u.local_extents();
#endif
}
