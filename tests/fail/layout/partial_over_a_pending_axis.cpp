// A reduction pends over an axis once.
// EXPECT: ashlar::partial: the axis already shards or pends in this layout; an axis stands in a layout once
#include "ashlar/layout/layout.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using maxima = partial<partial<layout<none>, "data">, "model", op::max>;
#else
using maxima = partial<partial<layout<none>, "data">, "data", op::max>;
#endif
