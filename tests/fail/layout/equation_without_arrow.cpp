// An equation says what its result is.
// EXPECT: ashlar::equation: it needs one ->, as in .*bi,ih->bh.*
// ONE ERROR
#include "ashlar/layout/equation.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr layout_detail::einsum_equation product = layout_detail::parse("ik,kj->ij");
#else
inline constexpr layout_detail::einsum_equation product = layout_detail::parse("ik,kj");
#endif
