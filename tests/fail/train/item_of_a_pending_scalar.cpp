// The number of a scalar over which a sum still pends.
// EXPECT: ashlar::item: a reduction pends over the scalar; all_reduce it first
#include "ashlar/train/feed.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using scalar = layout<>;
#else
using scalar = partial<layout<>, "x">;
#endif
float number_of(sharded_tensor<float, scalar, line> const& x) { return item(x); }
