// A number is no spec of a dimension; the compiler itself refuses it.
// EXPECT: could not convert .* to .*dimension|to .*dimension
#include "ashlar/layout/layouts.hpp"

using namespace ashlar;

#ifdef ASHLAR_CONTROL
using rows = layout<"data", none>;
#else
using rows = layout<"data", 0>;
#endif
