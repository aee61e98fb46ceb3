// An equation is no dimension.
// EXPECT: ashlar::axis: a name holds letters, digits and _ only; write axes
#include "ashlar/layout/layout.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using product = layout<"bi", "ih">;
#else
using product = layout<"bi,ih->bh">;
#endif
