// A mesh of names; the compiler itself refuses them, since an axis is a type.
// EXPECT: type/value mismatch at argument 1 in template parameter list for|template argument for template type parameter must be a type
#include "ashlar/mesh/mesh.hpp"

using namespace ashlar;

#ifdef ASHLAR_CONTROL
using grid = mesh<axis<"data">, axis<"model">>;
#else
using grid = mesh<"data", "model">;
#endif
