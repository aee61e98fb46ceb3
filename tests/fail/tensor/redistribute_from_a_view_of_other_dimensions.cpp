// A block of other dimensions than the layout.
// EXPECT: ashlar::redistribute_from: the view and its offset have one dimension for each of the layout
#include "ashlar/tensor/tensor.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using view = Kokkos::View<float**, Kokkos::LayoutRight>;
#else
using view = Kokkos::View<float***, Kokkos::LayoutRight>;
#endif
auto tensor_of(device_mesh<line> const& m, view const& v) { return redistribute_from<layout<"x", none>>(m, v, {4, 2}); }
