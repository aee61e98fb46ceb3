// An axis that shards a tensor holds no summands of it.
// EXPECT: ashlar::partial: the layout already names the axis; an axis occurs in a layout once
#include "ashlar/layout/layout.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using sums = partial<layout<"data">, "model">;
#else
using sums = partial<layout<"data">, "data">;
#endif
