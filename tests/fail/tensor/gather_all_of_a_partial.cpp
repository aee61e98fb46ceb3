// A partial reduction has no elements to gather.
// EXPECT: ashlar::gather_all: the layout is partial; all_reduce or reduce_scatter it first
#include "ashlar/tensor/gather.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using largest = layout<none>;
#else
using largest = partial<layout<none>, "x", op::max>;
#endif
auto all(sharded_tensor<float, largest, line> const& x) { return gather_all(x); }
