// An equation without its arrow.
// EXPECT: ashlar::equation: one letter per dimension, commas between operands, -> before the result
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
constexpr mesh<axis<"data">> m{{2}};
constexpr auto a = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto b = make<float, layout<none, none>>(m, {4, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = einsum_to<"ij,jk->ik", layout<"data", none>>(a, b);
#else
constexpr auto y = einsum_to<"ij,jk", layout<"data", none>>(a, b);
#endif
