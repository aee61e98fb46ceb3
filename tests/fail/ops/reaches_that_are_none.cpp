// A reach of a negative width, and one of 9 dimensions.
// EXPECT: ashlar::stencil: a tensor has at most 8 dimensions
// EXPECT: ashlar::stencil: a reach is 0 or more cells in each dimension
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
#ifdef ASHLAR_CONTROL
constexpr auto wide = star(1, 1, 1, 1, 1, 1, 1, 1);
constexpr auto narrow = star(1);
#else
constexpr auto wide = star(1, 1, 1, 1, 1, 1, 1, 1, 1);
constexpr auto narrow = star(-1);
#endif
