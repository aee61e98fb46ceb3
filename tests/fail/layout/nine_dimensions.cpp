// A tensor has up to 8 dimensions.
// EXPECT: ashlar::layout: a tensor has at most 8 dimensions; join dimensions
#include "ashlar/layout/layout.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using long_one = layout<none, none, none, none, none, none, none, none>;
#else
using long_one = layout<none, none, none, none, none, none, none, none, none>;
#endif
