// A mesh knows the sizes of its own axes.
// EXPECT: ashlar::mesh::size: the mesh has no axis of this name; use one of its axes
#include "ashlar/mesh/mesh.hpp"
using namespace ashlar;
inline constexpr mesh<axis<"data">, axis<"model">> grid{{2, 4}};

#ifdef ASHLAR_CONTROL
inline constexpr int n = grid.size<"model">();
#else
inline constexpr int n = grid.size<"modle">();
#endif
