// Labels stand without spaces.
// EXPECT: ashlar::equation: one letter per dimension, commas between operands, -> before the result
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
constexpr mesh<axis<"data">> m{{2}};
constexpr auto a = make<float, layout<"data", none>>(m, {8, 4});
constexpr auto b = make<float, layout<none, none>>(m, {4, 4});

#ifdef ASHLAR_CONTROL
constexpr auto y = einsum<"ij,jk,kl->il">(a, b, b);
#else
constexpr auto y = einsum<"ij, jk, kl -> il">(a, b, b);
#endif
