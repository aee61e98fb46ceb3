// The tensor is partial over an axis once.
// EXPECT: ashlar::partial: the layout already names the axis; an axis occurs in a layout once
#include "ashlar/layout/layout.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using maxima = partial<partial<layout<none>, "data">, "model", op::max>;
#else
using maxima = partial<partial<layout<none>, "data">, "data", op::max>;
#endif
