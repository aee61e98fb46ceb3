// An equation is no axis.
// EXPECT: ashlar::axis: a name holds letters, digits and _ only
#include "ashlar/mesh/mesh.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using product = axis<"bi">;
#else
using product = axis<"bi,ih->bh">;
#endif
