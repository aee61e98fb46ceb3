// Windows of pooling that are wider than the halo of the images.
// EXPECT: ashlar::pool2d: windows reach beyond the halo
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using images = layout<none, halo("h", 1), halo("w", 1), none>;
constexpr auto x = exchange_halo(make<float, stale<images>>(m, {1, 8, 8, 3}));

#ifdef ASHLAR_CONTROL
constexpr auto y = average_pool2d<3, 1, padding::same>(x);
#else
constexpr auto y = average_pool2d<5, 1, padding::same>(x);
#endif
