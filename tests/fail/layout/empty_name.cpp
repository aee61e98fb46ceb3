// A dimension that no axis shards is none.
// EXPECT: ashlar::axis: an axis has a name; write none for a dimension that no axis shards
#include "ashlar/layout/layout.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using rows = layout<"data", none>;
#else
using rows = layout<"data", "">;
#endif
