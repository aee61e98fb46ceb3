// A kernel of static extents that is wider than the halo of the images.
// EXPECT: ashlar::conv2d: windows of the kernel reach beyond the halo
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using images = layout<none, halo("h", 1), halo("w", 2), none>;
constexpr auto photo = exchange_halo(make<float, stale<images>>(m, {1, 8, 8, 3}));

#ifdef ASHLAR_CONTROL
constexpr auto y = conv2d(photo, make<float, replicated<4>>(m, static_extents<3, 5, 3, 2>{}));
#else
constexpr auto y = conv2d(photo, make<float, replicated<4>>(m, static_extents<5, 5, 3, 2>{}));
#endif
