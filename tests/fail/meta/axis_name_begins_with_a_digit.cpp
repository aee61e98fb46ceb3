// A name begins with a letter.
// EXPECT: ashlar::axis: a name begins with a letter or _
#include "ashlar/meta/literal.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr meta_detail::axis_literal name("d2");
#else
inline constexpr meta_detail::axis_literal name("2d");
#endif
