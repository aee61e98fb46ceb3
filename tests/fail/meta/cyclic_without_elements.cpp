// Blocks without elements cannot be assigned.
// EXPECT: ashlar::cyclic: a block has 1 to 65535 elements; choose another size
#include "ashlar/meta/literal.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr dimension rows = cyclic("p", 1);
#else
inline constexpr dimension rows = cyclic("p", 0);
#endif
