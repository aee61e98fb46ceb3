// A halo of -1 cells above.
// EXPECT: ashlar::halo: a width is 0 to 255 cells
#include "ashlar/layout/halo.hpp"

using namespace ashlar;

#ifdef ASHLAR_CONTROL
using field = layout<halo("p", 1, 0)>;
#else
using field = layout<halo("p", 1, -1)>;
#endif
constexpr int rank = field::rank;
