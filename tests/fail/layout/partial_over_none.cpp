// The tensor is partial over an axis.
// EXPECT: ashlar::partial: name the axis over which the layout is partial; none is no axis
#include "ashlar/layout/layout.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using sums = partial<layout<"data">, "model">;
#else
using sums = partial<layout<"data">, none>;
#endif
