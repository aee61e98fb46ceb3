// Each rank would hold the whole value.
// EXPECT: ashlar::load_npz: the layout is partial
#include "ashlar/io/npz_files.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

#ifdef ASHLAR_CONTROL
using rows = layout<"data", none>;
#else
using rows = partial<layout<none, none>, "data">;
#endif
auto tensor_of(device_mesh<grid> const& m) { return load_npz<float, rows>(m, "x.npz", "x"); }
