// A product with terms of a sum: cells beyond a given edge are no terms.
// EXPECT: ashlar::elementwise: the result is split otherwise than the operand with a halo, or is partial beside a given edge or by no sum; write owned\(x\) for this operand
// ONE ERROR
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"y">, axis<"k">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
#ifdef ASHLAR_CONTROL
constexpr auto u = make<double, stale<layout<halo("y", 1)>>>(m, {8});
#else
constexpr auto u = make<double, stale<layout<halo("y", 1, edge::given)>>>(m, {8});
#endif
constexpr auto y = u * make<double, partial<layout<"y">, "k">>(m, {8});
