// Reductions nest four deep.
// EXPECT: ashlar::partial: more than 4 kinds of reduction nest; reduce the innermost first
#include "ashlar/layout/layout.hpp"
using namespace ashlar;
using four = partial<partial<partial<partial<layout<none>, "a">, "b", op::max>, "c">, "d", op::max>;

#ifdef ASHLAR_CONTROL
using five = partial<four, "e", op::max>;
#else
using five = partial<four, "e">;
#endif
