// Tensors on a mesh whose axes have one name: the mesh's error, and none of the tensors.
// EXPECT: ashlar::mesh: two axes have the same name; give each axis a name of its own
// ONE ERROR
#include "ashlar/tensor/tensor.hpp"

using namespace ashlar;
#ifdef ASHLAR_CONTROL
using grid = mesh<axis<"data">, axis<"model">>;
#else
using grid = mesh<axis<"data">, axis<"data">>;
#endif

float total(device_mesh<grid> const& m) { return item(all_reduce(sum(full<float, layout<"data">>(m, {8}, 1.f)))); }
