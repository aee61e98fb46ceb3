// An equation has one result.
// EXPECT: ashlar::equation: one letter a dimension, commas between operands, -> before the result
#include "ashlar/meta/literal.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr equation both("ij->i");
#else
inline constexpr equation both("ij->i,j");
#endif
