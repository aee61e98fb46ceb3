// An equation has one result.
// EXPECT: ashlar::equation: one letter per dimension, commas between operands, -> before the result
#include "ashlar/layout/equation.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr layout_detail::einsum_equation both = layout_detail::parse("ij->i");
#else
inline constexpr layout_detail::einsum_equation both = layout_detail::parse("ij->i,j");
#endif
