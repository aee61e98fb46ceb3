// A partial reduction has no elements to gather.
// EXPECT: ashlar::gather: the layout is partial; all_reduce or reduce_scatter it first
#include "ashlar/tensor/gather.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using summed = layout<none>;
#else
using summed = partial<layout<none>, "x">;
#endif
auto all(sharded_tensor<float, summed, line> const& x) { return gather(x); }
