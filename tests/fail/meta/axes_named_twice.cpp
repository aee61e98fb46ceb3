// An axis does not split a dimension twice.
// EXPECT: ashlar::axes: an axis is named twice; each axis shards a tensor at most once
#include "ashlar/meta/literal.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr dimension both = axes("a", "aa");
#else
inline constexpr dimension both = axes("a", "aa", "a");
#endif
