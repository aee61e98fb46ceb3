// Two axes on one dimension are axes(a, b).
// EXPECT: ashlar::axis: a name holds letters, digits and _ only; write axes
#include "ashlar/layout/layout.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using both = layout<axes("data", "model")>;
#else
using both = layout<"data,model">;
#endif
