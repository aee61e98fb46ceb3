// Shards are row-major.
// EXPECT: ashlar::adopt: shards are row-major; give a view of LayoutRight, or write adopt_reversed
// ONE ERROR
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using order = Kokkos::LayoutRight;
#else
using order = Kokkos::LayoutLeft;
#endif
auto tensor_of(device_mesh<line> const& m, Kokkos::View<float**, order> const& v) {
  return adopt<layout<"x", none>>(m, v, {4, 2});
}
