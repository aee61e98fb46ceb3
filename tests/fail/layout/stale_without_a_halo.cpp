// The stale layout of a layout without a halo.
// EXPECT: ashlar::stale: the layout has no halo
#include "ashlar/layout/halo.hpp"

using namespace ashlar;

#ifdef ASHLAR_CONTROL
using field = stale<layout<halo("p", 1)>>;
#else
using field = stale<layout<"p">>;
#endif
constexpr int rank = field::rank;
