// A label is one letter.
// EXPECT: ashlar::equation: one letter a dimension, commas between operands, -> before the result
#include "ashlar/meta/literal.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr equation sum("ij->i");
#else
inline constexpr equation sum("i1->i");
#endif
