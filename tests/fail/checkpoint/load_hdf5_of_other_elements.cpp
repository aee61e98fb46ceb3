// Files have no such elements.
// EXPECT: ashlar::load_hdf5: elements are bool, integers, float, double
#include "ashlar/io/hdf5_files.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

#ifdef ASHLAR_CONTROL
using number = double;
#else
struct number {
  double part[3];
};
#endif
auto tensor_of(device_mesh<grid> const& m) { return load_hdf5<number, layout<"data", none>>(m, "x.h5", "u"); }
