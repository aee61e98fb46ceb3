// A halo of a dimension that has one.
// EXPECT: ashlar::halo: the dimension has a halo already
#include "ashlar/layout/halo.hpp"

using namespace ashlar;

#ifdef ASHLAR_CONTROL
using field = layout<halo("p", 2)>;
#else
using field = layout<halo(halo("p", 1), 1)>;
#endif
constexpr int rank = field::rank;
