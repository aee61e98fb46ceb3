// A partial tensor is saved: no rank knows its value.
// EXPECT: ashlar::save_hdf5: the layout is partial
#include "ashlar/io/hdf5_files.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;

using terms = sharded_tensor<float, partial<layout<none, none>, "data">, grid>;

#ifdef ASHLAR_CONTROL
void save(terms const& x) { save_hdf5(all_reduce(x), "x.h5", "u"); }
#else
void save(terms const& x) { save_hdf5(x, "x.h5", "u"); }
#endif
