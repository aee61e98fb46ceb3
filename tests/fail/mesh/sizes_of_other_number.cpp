// Three sizes for two axes.
// EXPECT: ashlar::mesh: it needs one size for each axis; give as many as it has axes
#include "ashlar/mesh/mesh.hpp"

using namespace ashlar;
using grid = mesh<axis<"x">, axis<"y">>;

#ifdef ASHLAR_CONTROL
constexpr grid m{{2, 3}};
#else
constexpr grid m{{2, 3, 4}};
#endif
