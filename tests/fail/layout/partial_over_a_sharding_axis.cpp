// An axis that shards a tensor holds no summands of it.
// EXPECT: ashlar::partial: the axis already shards or pends in this layout; an axis stands in a layout once
#include "ashlar/layout/layout.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using sums = partial<layout<"data">, "model">;
#else
using sums = partial<layout<"data">, "data">;
#endif
