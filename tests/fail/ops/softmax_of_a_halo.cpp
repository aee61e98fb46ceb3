// An operation that reads no halo, on a tensor that has one.
// EXPECT: ashlar: this function takes no tensor with a halo; write owned\(x\)
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"x">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using field = layout<halo("y", 1), none>;
constexpr auto u = make<double, stale<field>>(m, {8, 8});

#ifdef ASHLAR_CONTROL
constexpr auto y = softmax(owned(u));
#else
constexpr auto y = softmax(u);
#endif
