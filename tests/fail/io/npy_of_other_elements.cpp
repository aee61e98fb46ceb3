// An element type that the reader knows of no file.
// EXPECT: ashlar::npy_kind: files are read of float, double
#include "ashlar/io/npy_tensor.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

#ifdef ASHLAR_CONTROL
using number = double;
#else
struct number {
  double part[3];
};
#endif
auto tensor_of(device_mesh<grid> const& m, npy_array const& a) {
  return npy_tensor<number, layout<"data", none>>(m, a);
}
