// A contraction takes two operands.
// EXPECT: ashlar::einsum: more than two operands; contract them pair by pair, in the order you choose
#include "ashlar/layout/equation.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr layout_detail::einsum_equation e = layout_detail::parse("ij,jk->ik");
#else
inline constexpr layout_detail::einsum_equation e = layout_detail::parse("ij,jk,kl->il");
#endif
