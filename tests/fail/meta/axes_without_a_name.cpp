// A dimension over no axis is none.
// EXPECT: ashlar::axes: name one axis or more; write none for a dimension that no axis shards
#include "ashlar/meta/literal.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr dimension whole = none;
#else
inline constexpr dimension whole = axes();
#endif
