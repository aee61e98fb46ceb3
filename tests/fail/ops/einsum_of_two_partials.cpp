// A contraction of two partial sums.
// EXPECT: ashlar::einsum: a product of two partial sums
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto p = make<float, partial<layout<none, none>, "model">>(m, {4, 4});
constexpr auto y = einsum<"ij,jk->ik">(p, all_reduce<"model">(p));
#else
constexpr auto p = make<float, partial<layout<none, none>, "model">>(m, {4, 4});
constexpr auto y = einsum<"ij,jk->ik">(p, p);
#endif
