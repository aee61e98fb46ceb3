// An equation has at most four operands.
// EXPECT: ashlar::equation: more than four operands; stack some of them into one tensor, or multiply some first
#include "ashlar/layout/equation.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr layout_detail::einsum_equation e = layout_detail::parse("ij,jk,kl,lm->im", 4);
#else
inline constexpr layout_detail::einsum_equation e = layout_detail::parse("ij,jk,kl,lm,mn->in", 4);
#endif
