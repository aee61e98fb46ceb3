// A product in no chunks.
// EXPECT: ashlar::einsum: what travels is cut into one chunk or more
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto x = make<float, layout<"data", "model">>(m, {8, 4});
constexpr auto w = make<float, layout<"model", none>>(m, {4, 6});

#ifdef ASHLAR_CONTROL
constexpr auto y = einsum_all_reduce<"bi,ih->bh", "model">(x, w, 1);
#else
constexpr auto y = einsum_all_reduce<"bi,ih->bh", "model">(x, w, 0);
#endif
