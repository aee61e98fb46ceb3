// A product whose second operand is to be gathered.
// EXPECT: ashlar::all_gather_einsum: the axis splits no dimension of the first operand last; give the operand that is to be gathered first, or write matmul<To>\(a, b\) or einsum_to<E, To>\(a, b\)
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<none, none>>(m, {8, 4});
constexpr auto w = make<float, layout<"data", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = all_gather_einsum<"ih,bi->bh", "data">(w, x, 2);
#else
constexpr auto y = all_gather_einsum<"bi,ih->bh", "data">(x, w, 2);
#endif
