// A file of no array: the names of the tensors are forgotten.
// EXPECT: ashlar::save_npz: a file has one array or more
#include "ashlar/io/npz_files.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

void save(sharded_tensor<float, layout<"data">, grid> const& x) {
#ifdef ASHLAR_CONTROL
  save_npz("x.npz", npz_array("x", x));
#else
  (void)x;
  save_npz("x.npz");
#endif
}
