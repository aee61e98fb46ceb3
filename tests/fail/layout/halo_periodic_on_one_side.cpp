// A dimension that is periodic on one side alone.
// EXPECT: ashlar::halo: one side of a dimension is periodic and the other is not
#include "ashlar/layout/halo.hpp"

using namespace ashlar;

#ifdef ASHLAR_CONTROL
using field = layout<halo("p", 1, edge::periodic, edge::periodic)>;
#else
using field = layout<halo("p", 1, edge::periodic, edge::zero)>;
#endif
constexpr int rank = field::rank;
