// Two names in one literal are not two axes.
// EXPECT: ashlar::axis: a name holds letters, digits and _ only; write axes
#include "ashlar/meta/literal.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr dimension both = axes("data", "model");
#else
inline constexpr dimension both("data,model");
#endif
