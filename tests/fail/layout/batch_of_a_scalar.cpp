// A batch that would split a scalar.
// EXPECT: ashlar::batch_sharded: a scalar has no dimension
#include "ashlar/layout/by_rank.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using scalar = batch_sharded<"data", 1>;
#else
using scalar = batch_sharded<"data", 0>;
#endif
