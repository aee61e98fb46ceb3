// A halo of a block-cyclic dimension.
// EXPECT: ashlar::halo: neighbours in a block-cyclic dimension are on other ranks
#include "ashlar/layout/halo.hpp"

using namespace ashlar;

#ifdef ASHLAR_CONTROL
using field = layout<halo("p", 1)>;
#else
using field = layout<halo(cyclic("p", 64), 1)>;
#endif
constexpr int rank = field::rank;
