// A parameter with given cells that is replicated over the axis of the batch.
// EXPECT: ashlar::value_and_grad: a tensor with a given edge is replicated over an axis, so its cotangent would be partial, and given cells are no terms of a sum; write another edge, or name no such axis
#include "ashlar/autodiff/autodiff.hpp"

using namespace ashlar;
using grid = mesh<axis<"data">, axis<"y">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto u = make<double, stale<layout<halo("y", 1, edge::given)>>>(m, {8});
constexpr auto loss = [](auto const& v) { return all_reduce(sum(v * v)); };

#ifdef ASHLAR_CONTROL
constexpr auto y = value_and_grad<none>(loss)(u);
#else
constexpr auto y = value_and_grad<"data">(loss)(u);
#endif
