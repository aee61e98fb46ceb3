// A tensor with two arguments is on a mesh of just the axes of its layout; a mesh of more axes is the third.
// EXPECT: ashlar::sharded_tensor: the assigned tensor is on another mesh than the variable; name its mesh as the third argument, as in sharded_tensor<T, L, grid>, or write auto y = x
// EXPECT: ashlar::sharded_tensor: the tensor is on another mesh than the given one; name this mesh as the third argument, as in sharded_tensor<T, L, grid>, or write make<T, L>\(m, extents\)
#include "ashlar/ops/functions.hpp"
#include "ashlar/tensor/tensor.hpp"
using namespace ashlar;

using grid = mesh<axis<"x">, axis<"y">>;
using rows = layout<"x", none>;
using haloed = layout<halo("x", 1), none>;
#ifdef ASHLAR_CONTROL
using tensor_of_rows = sharded_tensor<float, rows, grid>;
using tensor_with_halo = sharded_tensor<float, stale<haloed>, grid>;
#else
using tensor_of_rows = sharded_tensor<float, rows>;
using tensor_with_halo = sharded_tensor<float, stale<haloed>>;
#endif

void assigned(device_mesh<grid> const& m) {
  tensor_of_rows x = zeros<float, rows>(m, {3, 4});
  x = zeros<float, rows>(m, {3, 4});
  tensor_with_halo const h = with_halo<haloed>(zeros<float, rows>(m, {3, 4}));
}
void made(device_mesh<grid> const& m) {
  tensor_of_rows const x(m, shape::of(3, 4));
  tensor_with_halo const h(m, shape::of(3, 4));
}
