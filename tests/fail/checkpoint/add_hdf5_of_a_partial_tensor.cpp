// A partial tensor is written: no rank knows its value.
// EXPECT: ashlar::add_hdf5: the layout is partial
#include "ashlar/io/hdf5_files.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

#ifdef ASHLAR_CONTROL
using rows = layout<"data", none>;
#else
using rows = partial<layout<none, none>, "data">;
#endif
void save(sharded_tensor<float, rows, grid> const& x) { add_hdf5(x, "x.h5", "u"); }
