// Blocks of blocks.
// EXPECT: ashlar::cyclic: its first argument is an axis or axes
#include "ashlar/meta/literal.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr dimension rows = cyclic(axes("p", "q"), 64);
#else
inline constexpr dimension rows = cyclic(cyclic("p", 64), 8);
#endif
