// Contraction of a label that the operands shard over different axes: the message names the axis and both layouts.
// EXPECT: one_sided.*ashlar::einsum: a label is sharded over the axis in one operand and not in the other|ashlar::einsum: a label is sharded over the axis in one operand and not in the other
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto a = make<float, layout<none, "data">>(m, {8, 4});
constexpr auto b = make<float, layout<"data", none>>(m, {4, 6});
constexpr auto y = einsum<"ik,kj->ij">(a, b);
#else
constexpr auto a = make<float, layout<none, "data">>(m, {8, 4});
constexpr auto b = make<float, layout<"model", none>>(m, {4, 6});
constexpr auto y = einsum<"ik,kj->ij">(a, b);
#endif
