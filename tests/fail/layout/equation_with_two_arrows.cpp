// An equation has one result.
// EXPECT: ashlar::equation: it needs one ->
#include "ashlar/layout/equation.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr layout_detail::einsum_equation chain = layout_detail::parse("ik,kj->ij");
#else
inline constexpr layout_detail::einsum_equation chain = layout_detail::parse("ik->kj->ij");
#endif
