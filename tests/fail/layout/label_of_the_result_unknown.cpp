// A label of the result comes from an operand.
// EXPECT: ashlar::einsum: the result has a label that no operand has; every label after -> must be before it
#include "ashlar/layout/equation.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr layout_detail::einsum_equation e = layout_detail::parse("ik,kj->ij");
#else
inline constexpr layout_detail::einsum_equation e = layout_detail::parse("ik,kj->il");
#endif
