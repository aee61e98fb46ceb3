// A label with two extents in an einsum of three operands, in a constant expression.
// EXPECT: ashlar::einsum: a label has different extents in two operands
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

constexpr auto a = make<float, layout<none, none>>(m, {8, 4});
#ifdef ASHLAR_CONTROL
constexpr auto b = make<float, layout<none, none>>(m, {4, 6});
#else
constexpr auto b = make<float, layout<none, none>>(m, {5, 6});
#endif
constexpr auto c = make<float, layout<none, none>>(m, {6, 3});
constexpr auto y = einsum<"ij,jk,kl->il">(a, b, c);
