// An equation says what its result is.
// EXPECT: ashlar::equation: it needs one ->, as in .*bi,ih->bh.*
#include "ashlar/meta/literal.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr equation product("ik,kj->ij");
#else
inline constexpr equation product("ik,kj");
#endif
