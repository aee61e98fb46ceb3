// A partial tensor is saved: no rank knows its value.
// EXPECT: ashlar::save_npz: the layout is partial
#include "ashlar/io/npz_files.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

#ifdef ASHLAR_CONTROL
using rows = layout<"data", none>;
#else
using rows = partial<layout<none, none>, "data">;
#endif
void save(sharded_tensor<float, rows, grid> const& x) { save_npz("x.npz", npz_array("x", x)); }
