// What is row-major is no reversed view.
// EXPECT: ashlar::adopt_reversed: the view is not column-major
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using order = Kokkos::LayoutLeft;
#else
using order = Kokkos::LayoutRight;
#endif
auto tensor_of(device_mesh<line> const& m, Kokkos::View<float**, order> const& v) {
  return adopt_reversed<layout<none, "x">>(m, v, {2, 4});
}
