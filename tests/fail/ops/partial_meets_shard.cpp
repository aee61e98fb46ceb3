// An axis that is partial in one operand and shards the other.
// EXPECT: ashlar::einsum: one operand is partial over an axis that shards the other
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

#ifdef ASHLAR_CONTROL
constexpr auto p = make<float, partial<layout<none, none>, "model">>(m, {4, 4});
constexpr auto w = make<float, layout<none, "data">>(m, {4, 4});
constexpr auto y = einsum<"ij,jk->ik">(p, w);
#else
constexpr auto p = make<float, partial<layout<none, none>, "model">>(m, {4, 4});
constexpr auto w = make<float, layout<none, "model">>(m, {4, 4});
constexpr auto y = einsum<"ij,jk->ik">(p, w);
#endif
