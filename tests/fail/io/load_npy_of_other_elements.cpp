// Files have no such elements.
// EXPECT: ashlar::load_npy: elements are bool, integers, float, double
#include "ashlar/io/npy_files.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

#ifdef ASHLAR_CONTROL
using number = double;
#else
using number = long double;
#endif
auto tensor_of(device_mesh<grid> const& m) { return load_npy<number, layout<"data", none>>(m, "x.npy"); }
