// A member and what is computed from it, in a layout with an axis that the mesh lacks: one error, and none of the computation.
// EXPECT: ashlar::sharded_tensor: the layout names an axis that the mesh does not have; use one of the mesh's axes or add the axis to the mesh
// ONE ERROR
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
#ifdef ASHLAR_CONTROL
using columns = layout<none, "model">;
#else
using columns = layout<none, "Model">;
#endif

struct layer {
  sharded_tensor<float, columns, grid> kernel;
};
float total(device_mesh<grid> const& m) {
  layer const l{uniform<float, columns>(m, {784, 200}, prng_key{1})};
  return item(all_reduce(sum(exp(l.kernel) + 1.f)));
}
