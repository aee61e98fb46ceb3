// An exchange writes the halo of an adopted view.
// EXPECT: ashlar::adopt: the view is of const elements; copy them, or adopt a view of mutable ones
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/make_haloed.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using element = float;
#else
using element = float const;
#endif
auto tensor_of(device_mesh<line> const& m, Kokkos::View<element**, Kokkos::LayoutRight> const& v) {
  return adopt<stale<layout<halo("x", 1), none>>>(m, v, {4, 2});
}
