// A label with two extents, in a constant expression.
// EXPECT: ashlar::einsum: a label has different extents in the two operands
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto a = make<float, layout<none, none>>(m, {8, 4});
constexpr auto b = make<float, layout<none, none>>(m, {4, 6});
constexpr auto y = einsum<"ik,kj->ij">(a, b);
#else
constexpr auto a = make<float, layout<none, none>>(m, {8, 4});
constexpr auto b = make<float, layout<none, none>>(m, {5, 6});
constexpr auto y = einsum<"ik,kj->ij">(a, b);
#endif
