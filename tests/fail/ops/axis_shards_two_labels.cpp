// An axis that would shard both dimensions of the result.
// EXPECT: ashlar::einsum: the axis shards two labels
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto a = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto b = make<float, layout<none, "model">>(m, {4, 6});
constexpr auto y = einsum<"ik,kj->ij">(a, b);
#else
constexpr auto a = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto b = make<float, layout<none, "data">>(m, {4, 6});
constexpr auto y = einsum<"ik,kj->ij">(a, b);
#endif
