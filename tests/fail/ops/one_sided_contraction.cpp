// A sharded label contracted with a whole one: no silent gather.
// EXPECT: ashlar::einsum: a label is sharded over the axis in one operand and not in the other; all_gather or redistribute one of them, or write matmul<To>\(a, b\) or einsum_to<E, To>\(a, b\)
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
constexpr auto b = make<float, layout<none, none>>(m, {4, 6});
constexpr auto y = einsum<"ik,kj->ij">(a, b);
#endif
