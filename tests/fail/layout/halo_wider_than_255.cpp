// A halo of 256 cells.
// EXPECT: ashlar::halo: a width is 0 to 255 cells
#include "ashlar/layout/halo.hpp"

using namespace ashlar;

#ifdef ASHLAR_CONTROL
using field = layout<halo("p", 255)>;
#else
using field = layout<halo("p", 256)>;
#endif
constexpr int rank = field::rank;
