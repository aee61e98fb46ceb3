// Summands are no elements to print.
// EXPECT: ashlar::print: the layout is partial; all_reduce or reduce_scatter it first
#include "ashlar/tensor/print.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using summed = layout<none>;
#else
using summed = partial<layout<none>, "x">;
#endif
void show(std::ostream& out, sharded_tensor<float, summed, line> const& x) { print(out, x); }
