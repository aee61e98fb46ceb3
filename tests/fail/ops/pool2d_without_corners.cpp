// Pooling of images whose corners were not exchanged, and of images with a halo of channels.
// EXPECT: ashlar::pool2d: windows read corners, which were not exchanged; write exchange_halo\(images\) without corners::none
// EXPECT: ashlar::pool2d: the batch or the channels have a halo, which no window reads; give only h and w a halo
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto x = make<float, stale<layout<none, halo("h", 1), halo("w", 1), none>>>(m, {1, 8, 8, 3});

#ifdef ASHLAR_CONTROL
constexpr auto y = max_pool2d<2>(exchange_halo(x));
constexpr auto channels = make<float, stale<layout<none, halo("h", 1), none, none>>>(m, {1, 8, 8, 4});
#else
constexpr auto y = max_pool2d<2>(exchange_halo<corners::none>(x));
constexpr auto channels = make<float, stale<layout<none, halo("h", 1), none, halo("w", 1)>>>(m, {1, 8, 8, 4});
#endif
constexpr auto z = max_pool2d<2>(exchange_halo(channels));
