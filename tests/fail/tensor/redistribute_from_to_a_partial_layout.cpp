// Blocks of the program as a partial tensor: each rank would hold the whole value.
// EXPECT: ashlar::redistribute_from: the layout is partial; write the layout without it, then as_partial<axis>
#include "ashlar/tensor/tensor.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using L = layout<none, none>;
#else
using L = partial<layout<none, none>, "x">;
#endif
auto tensor_of(device_mesh<line> const& m, Kokkos::View<float**, Kokkos::LayoutRight> const& v) {
  return redistribute_from<L>(m, v, {4, 2});
}
