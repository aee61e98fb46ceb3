// A result has one dimension a label.
// EXPECT: ashlar::einsum: a label is twice
#include "ashlar/layout/equation.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr layout_detail::einsum_equation e = layout_detail::parse("i,j->ij");
#else
inline constexpr layout_detail::einsum_equation e = layout_detail::parse("i,j->ii");
#endif
