// Labels stand without spaces.
// EXPECT: ashlar::equation: one letter a dimension, commas between operands, -> before the result
#include "ashlar/meta/literal.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr equation product("ik,kj->ij");
#else
inline constexpr equation product("ik, kj -> ij");
#endif
