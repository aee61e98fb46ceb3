// A file is read into a partial layout: each rank would hold the whole value.
// EXPECT: ashlar::load_npy: the layout is partial
#include "ashlar/io/npy_files.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

#ifdef ASHLAR_CONTROL
using rows = layout<"data", none>;
#else
using rows = partial<layout<none, none>, "data">;
#endif
auto tensor_of(device_mesh<grid> const& m) { return load_npy<float, rows>(m, "x.npy"); }
