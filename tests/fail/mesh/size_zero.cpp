// A mesh has a rank.
// EXPECT: ashlar::mesh: the size of an axis is 1 or more
#include "ashlar/mesh/mesh.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr mesh<axis<"data">, axis<"model">> grid{{2, 1}};
#else
inline constexpr mesh<axis<"data">, axis<"model">> grid{{2, 0}};
#endif
