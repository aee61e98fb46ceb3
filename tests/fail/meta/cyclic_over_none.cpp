// A dimension is block-cyclic over an axis.
// EXPECT: ashlar::cyclic: name the axis over which a dimension is block-cyclic; none is no axis
#include "ashlar/meta/literal.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr dimension rows = cyclic("p", 64);
#else
inline constexpr dimension rows = cyclic(none, 64);
#endif
