// A file read into a layout in which the result is partial: each rank would hold the whole of it.
// EXPECT: ashlar::npy_tensor: the layout is partial
#include "ashlar/io/npy_tensor.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

#ifdef ASHLAR_CONTROL
using rows = layout<"data", none>;
#else
using rows = partial<layout<none, none>, "data">;
#endif
auto tensor_of(device_mesh<grid> const& m, npy_array const& a) { return npy_tensor<float, rows>(m, a); }
