// Each name of axes() is a literal of its own.
// EXPECT: ashlar::axis: a name holds letters, digits and _ only; write axes
#include "ashlar/meta/literal.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr dimension both = axes("data", "model");
#else
inline constexpr dimension both = axes("data,model");
#endif
