// An axis shards one dimension.
// EXPECT: ashlar::layout: an axis shards two dimensions; each axis shards a tensor at most once, write none for one of them
#include "ashlar/layout/layout.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using square = layout<"data", none>;
#else
using square = layout<"data", "data">;
#endif
