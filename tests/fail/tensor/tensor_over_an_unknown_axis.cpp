// Tensors whose layouts name an axis that the mesh does not have.
// EXPECT: ashlar::sharded_tensor: the layout names an axis that the mesh does not have; use one of the mesh
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using line = mesh<axis<"x">>;
#ifdef ASHLAR_CONTROL
using rows = layout<"x", none>;
using field = stale<layout<halo("x", 1), none>>;
#else
using rows = layout<"y", none>;
using field = stale<layout<halo("y", 1), none>>;
#endif

auto rank_of(sharded_tensor<float, rows, line> const& x) { return x.extents().rank; }
auto rank_of_halo(sharded_tensor<float, field, line> const& x) { return x.extents().rank; }
