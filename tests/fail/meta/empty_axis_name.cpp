// An axis has a name.
// EXPECT: ashlar::axis: an axis has a name; write none for a dimension that no axis shards
#include "ashlar/meta/literal.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr meta_detail::axis_literal name("x");
#else
inline constexpr meta_detail::axis_literal name("");
#endif
