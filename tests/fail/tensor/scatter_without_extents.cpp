// A tensor of one dimension has an extent.
// EXPECT: ashlar::scatter: give the extents, one per dimension of the layout
// ONE ERROR
#include "ashlar/tensor/gather.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using L = layout<>;
#else
using L = layout<"x">;
#endif
auto tensor_of(device_mesh<line> const& m, std::vector<float> const& v) { return scatter<L>(m, v); }
