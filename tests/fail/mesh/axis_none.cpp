// none is no axis of a mesh.
// EXPECT: (could not convert .*none|no viable conversion from .*none_t)
#include "ashlar/mesh/mesh.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using data = axis<"data">;
#else
using data = axis<none>;
#endif
