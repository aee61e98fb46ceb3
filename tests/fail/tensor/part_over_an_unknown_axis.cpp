// The part of a rank, and the value of a layout, with an axis that the mesh lacks.
// EXPECT: ashlar::layout_value_v: the layout names an axis that the mesh does not have; use one of the mesh's axes or add the axis to the mesh
// EXPECT: axes_missing_from_mesh<.*mesh<.*'Y'
// EXPECT: axes_missing_from_mesh<.*mesh<.*'X'
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
#ifdef ASHLAR_CONTROL
using rows = layout<"y", none>;
using columns = layout<none, "x">;
#else
using rows = layout<"Y", none>;
using columns = layout<none, "X">;
#endif

index_t rows_of(device_mesh<grid> const& m) { return local_region<rows>(m, {100, 100}).dim[0].size(); }
shape block_of(device_mesh<grid> const& m) {
  return local_shape(shape::of(100, 100), layout_value_v<grid, columns>, m.sizes(), m.rank());
}
