// Each of several partial axes is new.
// EXPECT: ashlar::partial: the layout already names the axis; an axis occurs in a layout once
#include "ashlar/layout/layout.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using sums = partial<layout<"data">, axes("model", "pipe")>;
#else
using sums = partial<layout<"data">, axes("model", "data")>;
#endif
