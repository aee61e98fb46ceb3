// A diagonal is no contraction.
// EXPECT: ashlar::einsum: a label is twice in one operand, or in the result; a diagonal is not a contraction, give each dimension its own label
#include "ashlar/layout/equation.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr layout_detail::einsum_equation e = layout_detail::parse("ij->i");
#else
inline constexpr layout_detail::einsum_equation e = layout_detail::parse("ii->i");
#endif
