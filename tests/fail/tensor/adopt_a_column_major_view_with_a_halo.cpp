// Shards with halos are row-major, or have the strides of a subview.
// EXPECT: ashlar::adopt: shards are row-major; give a view of LayoutRight, or write adopt_reversed
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/make_haloed.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using order = Kokkos::LayoutStride;
#else
using order = Kokkos::LayoutLeft;
#endif
auto tensor_of(device_mesh<line> const& m, Kokkos::View<float**, order> const& v) {
  return adopt<stale<layout<halo("x", 1), none>>>(m, v, {4, 2});
}
