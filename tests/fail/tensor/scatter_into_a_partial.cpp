// Elements of a whole array are no summands.
// EXPECT: ashlar::scatter: the layout is partial, and each rank would hold the whole value; scatter into the layout without it, then write as_partial<axis>
#include "ashlar/tensor/gather.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using summed = layout<none>;
#else
using summed = partial<layout<none>, "x">;
#endif
auto tensor_of(device_mesh<line> const& m, std::vector<float> const& v) { return scatter<summed>(m, {4}, v); }
