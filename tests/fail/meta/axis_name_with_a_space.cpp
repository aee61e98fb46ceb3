// A name is one word.
// EXPECT: ashlar::axis: a name holds letters, digits and _ only
#include "ashlar/meta/literal.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr meta_detail::axis_literal name("data_parallel");
#else
inline constexpr meta_detail::axis_literal name("data parallel");
#endif
