// A static size is positive.
// EXPECT: ashlar::axis: a size is positive; leave it out where it comes at run time
#include "ashlar/mesh/mesh.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr mesh<axis<"data", 2>> grid;
#else
inline constexpr mesh<axis<"data", -2>> grid{{2}};
#endif
