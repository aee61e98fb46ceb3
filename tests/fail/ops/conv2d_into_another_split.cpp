// A convolution that is asked for a layout that is split otherwise than its result.
// EXPECT: ashlar: the layout of the result that is asked for is split otherwise
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using images = layout<none, halo("h", 1), halo("w", 1), none>;
constexpr auto x = exchange_halo(make<float, stale<images>>(m, {1, 8, 8, 3}));
constexpr auto k = make<float, replicated<4>>(m, {3, 3, 3, 2});

#ifdef ASHLAR_CONTROL
constexpr auto y = conv2d<stale<layout<none, halo("h", 2), halo("w", 2), none>>>(x, k);
#else
constexpr auto y = conv2d<stale<layout<none, halo("w", 2), halo("h", 2), none>>>(x, k);
#endif
