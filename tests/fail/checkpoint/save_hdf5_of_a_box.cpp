// A first index is given to the function that writes a new file.
// EXPECT: ashlar::save_hdf5: it writes a new file; write a box of a file that exists by update_hdf5
#include "ashlar/io/hdf5_files.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

void save(sharded_tensor<float, layout<"data", none>, grid> const& x, index_t row) {
#ifdef ASHLAR_CONTROL
  save_hdf5(x, "x.h5", "u", {});
  save_hdf5(x, "x.h5", "u", {.deflate = 1});
  update_hdf5(x, "x.h5", "u", {row, 0});
#else
  save_hdf5(x, "x.h5", "u", {row, 0});
#endif
}
