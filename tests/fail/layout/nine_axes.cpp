// More than 8 axes in one layout.
// EXPECT: ashlar::layout: more than 8 axes shard one tensor; join axes that you always use together
#include "ashlar/layout/layout.hpp"

using namespace ashlar;
#ifdef ASHLAR_CONTROL
using many = layout<axes("a", "b", "c", "d"), axes("e", "f", "g", "h")>;
#else
using many = layout<axes("a", "b", "c", "d"), axes("e", "f", "g", "h"), "i">;
#endif
constexpr many x{};
