// adopt takes row-major views with a halo as they are.
// EXPECT: ashlar::adopt_reversed: the view is not column-major; adopt takes one of LayoutRight as it is
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/make_haloed.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using order = Kokkos::LayoutStride;
#else
using order = Kokkos::LayoutRight;
#endif
auto tensor_of(device_mesh<line> const& m, Kokkos::View<float**, order> const& v) {
  return adopt_reversed<stale<layout<halo("x", 1), none>>>(m, v, {4, 2});
}
