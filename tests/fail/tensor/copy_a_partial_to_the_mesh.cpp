// A whole value that every rank would hold as its summand.
// EXPECT: ashlar::copy_to_mesh: the layout is partial
#include "ashlar/tensor/pack.hpp"
using namespace ashlar;
using line = mesh<axis<"x">>;

#ifdef ASHLAR_CONTROL
using vector = layout<none>;
#else
using vector = partial<layout<none>, "x">;
#endif
void copy(device_mesh<line> const& m) { (void)copy_to_mesh<vector>(m, {3}, std::vector<float>(3)); }
