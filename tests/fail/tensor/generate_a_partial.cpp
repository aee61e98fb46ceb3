// A function of the global index gives elements, not summands.
// EXPECT: ashlar::generate: the layout is partial, and each rank would hold the whole value; generate the layout without it, then write as_partial<axis>
#include "ashlar/tensor/backend.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using summed = layout<none>;
#else
using summed = partial<layout<none>, "x">;
#endif
struct own_index {
  KOKKOS_FUNCTION float operator()(index_t i) const { return static_cast<float>(i); }
};
auto numbers(device_mesh<line> const& m) { return generate<float, summed>(m, {4}, own_index{}); }
