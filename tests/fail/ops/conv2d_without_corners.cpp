// A convolution that reads corners, of images whose corners were not exchanged.
// EXPECT: ashlar::conv2d: windows read corners, which were not exchanged
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto k = make<float, replicated<4>>(m, {3, 3, 3, 2});

#ifdef ASHLAR_CONTROL
constexpr auto x = make<float, stale<layout<none, halo("h", 1), none, none>>>(m, {1, 8, 8, 3});
#else
constexpr auto x = make<float, stale<layout<none, halo("h", 1), halo("w", 1), none>>>(m, {1, 8, 8, 3});
#endif
constexpr auto y = conv2d(exchange_halo<corners::none>(x), k);
