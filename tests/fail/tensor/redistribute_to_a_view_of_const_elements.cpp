// The elements of a tensor are written to the program's block.
// EXPECT: ashlar::redistribute_to: the view is of const elements; give a view of mutable ones
#include "ashlar/tensor/tensor.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using element = float;
#else
using element = float const;
#endif
void write(sharded_tensor<float, layout<"x", none>> const& x, Kokkos::View<element**, Kokkos::LayoutRight> const& v) {
  redistribute_to(x, v, {4, 2});
}
