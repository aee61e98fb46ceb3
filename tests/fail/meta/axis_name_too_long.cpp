// A literal has room for 64 characters.
// EXPECT: ashlar::literal: .* at most 64 characters; shorten them
#include "ashlar/meta/literal.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr meta_detail::axis_literal name("a234567890123456789012345678901234567890123456789012345678901234");
#else
inline constexpr meta_detail::axis_literal name("a2345678901234567890123456789012345678901234567890123456789012345");
#endif
