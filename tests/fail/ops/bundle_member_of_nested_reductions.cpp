// All that is partial, where the tensor is partial by a maximum over a sum in one member.
// EXPECT: ashlar::bundle: a member is partial by reductions of several kinds; all_reduce it apart
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
constexpr auto p = make<float, partial<layout<none>, "model">>(m, {8});

#ifdef ASHLAR_CONTROL
constexpr auto q = make<float, partial<layout<none>, "data", op::max>>(m, {8});
constexpr auto y = all_reduce(bundle(p, q));
#else
constexpr auto q = make<float, partial<partial<layout<none>, "model">, "data", op::max>>(m, {8});
constexpr auto y = all_reduce(bundle(p, q));
#endif
