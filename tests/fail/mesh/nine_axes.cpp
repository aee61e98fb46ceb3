// A mesh of nine axes.
// EXPECT: ashlar::mesh: more than 8 axes meet
#include "ashlar/mesh/mesh.hpp"

using namespace ashlar;
using eight = mesh<axis<"a">, axis<"b">, axis<"c">, axis<"d">, axis<"e">, axis<"f">, axis<"g">, axis<"h">>;
using nine = mesh<axis<"a">, axis<"b">, axis<"c">, axis<"d">, axis<"e">, axis<"f">, axis<"g">, axis<"h">, axis<"i">>;

#ifdef ASHLAR_CONTROL
constexpr eight m{{1, 1, 1, 1, 1, 1, 1, 2}};
#else
constexpr nine m{{1, 1, 1, 1, 1, 1, 1, 1, 2}};
#endif
