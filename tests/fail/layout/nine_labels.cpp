// A tensor has up to 8 dimensions, and an operand as many labels.
// EXPECT: ashlar::einsum: an operand has more than 8 labels; tensors have at most 8 dimensions
#include "ashlar/layout/equation.hpp"
using namespace ashlar;

#ifdef ASHLAR_CONTROL
inline constexpr layout_detail::einsum_equation e = layout_detail::parse("abcdefgh->a");
#else
inline constexpr layout_detail::einsum_equation e = layout_detail::parse("abcdefghi->a");
#endif
