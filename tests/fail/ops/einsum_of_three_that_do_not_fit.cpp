// The rule for three operands is the rule for each pair of them.
// EXPECT: ashlar::einsum: the axis shards two labels, or one label in another order
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"p">, axis<"q">>;
constexpr grid m{{2, 2}};
constexpr auto a = make<float, layout<"p", "q">>(m, {8, 4});
constexpr auto b = make<float, layout<"q", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto c = make<float, layout<none, none>>(m, {6, 2});
#else
constexpr auto c = make<float, layout<"p", none>>(m, {6, 2});
#endif
constexpr auto y = einsum<"ij,jk,kl->il">(a, b, c);
