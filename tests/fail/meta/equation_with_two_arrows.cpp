// An equation has one result.
// EXPECT: ashlar::equation: it needs one ->
#include "ashlar/meta/literal.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr equation chain("ik,kj->ij");
#else
inline constexpr equation chain("ik->kj->ij");
#endif
