// Each axis of a mesh has one name.
// EXPECT: (could not convert|no viable conversion from) .*literal
#include "ashlar/mesh/mesh.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
using both = mesh<axis<"data">, axis<"model">>;
#else
using both = mesh<axis<axes("data", "model")>>;
#endif
