// Files have no such elements.
// EXPECT: ashlar::load_npz: elements are bool, integers, float, double
#include "ashlar/io/npz_files.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

#ifdef ASHLAR_CONTROL
using number = double;
#else
struct number {
  double part[3];
};
#endif
auto tensor_of(device_mesh<grid> const& m) { return load_npz<number, layout<"data", none>>(m, "x.npz", "x"); }
