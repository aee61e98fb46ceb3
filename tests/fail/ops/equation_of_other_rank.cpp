// An equation with another number of labels than the operand has dimensions.
// EXPECT: ashlar::einsum: the equation names another number of operands or dimensions
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto a = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto b = make<float, layout<none, none>>(m, {4, 6});
constexpr auto y = einsum<"ik,kj->ij">(a, b);
#else
constexpr auto a = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto b = make<float, layout<none, none>>(m, {4, 6});
constexpr auto y = einsum<"ikl,kj->ij">(a, b);
#endif
