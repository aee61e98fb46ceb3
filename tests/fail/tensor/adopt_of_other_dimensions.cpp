// Memory of other dimensions than the layout, of const elements, and a block of other dimensions.
// EXPECT: ashlar::adopt: the view has another number of dimensions than the layout
// EXPECT: ashlar::adopt: the address is of const elements; copy them, or adopt elements that may be written
// EXPECT: ashlar::redistribute_to: the view and its offset have one dimension for each of the tensor
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;
#ifdef ASHLAR_CONTROL
using view = Kokkos::View<float**, Kokkos::LayoutRight>;
using address = float*;
#else
using view = Kokkos::View<float*, Kokkos::LayoutRight>;
using address = float const*;
#endif
auto of_view(device_mesh<line> const& m, view const& v) { return adopt<layout<"x", none>>(m, v, {4, 2}); }
auto with_halo_of_view(device_mesh<line> const& m, view const& v) {
  return adopt<stale<layout<halo("x", 1), none>>>(m, v, {4, 2});
}
auto of_address(device_mesh<line> const& m, address p) { return adopt<layout<"x", none>>(m, p, {4, 2}); }
void write(sharded_tensor<float, layout<"x", none>, line> const& x, view const& v) { redistribute_to(x, v, {4, 2}); }
