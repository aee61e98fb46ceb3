// Labels stand without spaces.
// EXPECT: ashlar::equation: one letter per dimension, commas between operands, -> before the result
// ONE ERROR
#include "ashlar/layout/equation.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr layout_detail::einsum_equation product = layout_detail::parse("ik,kj->ij");
#else
inline constexpr layout_detail::einsum_equation product = layout_detail::parse("ik, kj -> ij");
#endif
