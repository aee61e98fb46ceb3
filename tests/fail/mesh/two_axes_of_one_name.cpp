// Each axis has a name of its own.
// EXPECT: ashlar::mesh: two axes have the same name; give each axis a name of its own
#include "ashlar/mesh/mesh.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr mesh<axis<"data">, axis<"model">> grid{{2, 2}};
#else
inline constexpr mesh<axis<"data">, axis<"data">> grid{{2, 2}};
#endif
