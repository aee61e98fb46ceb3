// A label is one letter.
// EXPECT: ashlar::equation: one letter per dimension, commas between operands, -> before the result
#include "ashlar/layout/equation.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr layout_detail::einsum_equation sum = layout_detail::parse("ij->i");
#else
inline constexpr layout_detail::einsum_equation sum = layout_detail::parse("i1->i");
#endif
