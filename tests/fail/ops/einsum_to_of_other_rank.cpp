// Each dimension of an operand has a letter.
// EXPECT: ashlar::einsum_to: the equation names another number of dimensions than the operands have; one letter per dimension
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};
constexpr auto a = make<float, layout<"p", "q">>(m, {8, 4});
constexpr auto b = make<float, layout<"p", "q">>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto c = einsum_to<"mk,kn->mn", layout<"p", "q">>(a, b);
#else
constexpr auto c = einsum_to<"mk,k->m", layout<"p">>(a, b);
#endif
