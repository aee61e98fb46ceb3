// The other operand is sharded in the label that both have, and the gathered one is not. einsum's sentence names matmul.
// EXPECT: ashlar::einsum: a label is sharded over the axis in one operand and not in the other; all_gather or redistribute one of them, or write matmul<To>\(a, b\) or einsum_to<E, To>\(a, b\)
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", none>>(m, {8, 4});

#ifdef ASHLAR_CONTROL
constexpr auto w = make<float, layout<none, "model">>(m, {4, 6});
#else
constexpr auto w = make<float, layout<"model", none>>(m, {4, 6});
#endif
constexpr auto y = all_gather_einsum<"bi,ih->bh", "data">(x, w, 2);
