// The number of a scalar that is still partial.
// EXPECT: ashlar::item: the scalar is partial; all_reduce it first
#include "ashlar/tensor/item.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using scalar = layout<>;
#else
using scalar = partial<layout<>, "x">;
#endif
float number_of(sharded_tensor<float, scalar, line> const& x) { return item(x); }
