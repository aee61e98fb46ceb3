// A static size given again is the same.
// EXPECT: ashlar::mesh: the size given differs from the axis' static size; leave one of the two out
#include "ashlar/mesh/mesh.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr mesh<axis<"data", 2>, axis<"model">> grid{{2, 4}};
#else
inline constexpr mesh<axis<"data", 2>, axis<"model">> grid{{4, 2}};
#endif
