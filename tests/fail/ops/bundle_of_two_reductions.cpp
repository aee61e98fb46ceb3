// A reduction over one axis of members that are partial by different reductions.
// EXPECT: ashlar::bundle: the members are partial by different reductions; bundle members of one reduction
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};

constexpr auto p = make<float, partial<layout<none>, "model">>(m, {8});
#ifdef ASHLAR_CONTROL
constexpr auto q = make<float, partial<layout<none>, "model">>(m, {8});
#else
constexpr auto q = make<float, partial<layout<none>, "model", op::max>>(m, {8});
#endif
constexpr auto y = all_reduce<"model">(bundle(p, q));
