// Each of several pending axes is new.
// EXPECT: ashlar::partial: the axis already shards or pends in this layout; an axis stands in a layout once
#include "ashlar/layout/layout.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using sums = partial<layout<"data">, axes("model", "pipe")>;
#else
using sums = partial<layout<"data">, axes("model", "data")>;
#endif
