// A convolution of images whose halo was not exchanged.
// EXPECT: ashlar::conv2d: the halo of the images is stale; write exchange_halo
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
using images = layout<none, halo("h", 1), halo("w", 1), none>;
constexpr auto x = make<float, stale<images>>(m, {1, 8, 8, 3});
constexpr auto k = make<float, replicated<4>>(m, {3, 3, 3, 2});

#ifdef ASHLAR_CONTROL
constexpr auto y = conv2d(exchange_halo(x), k);
#else
constexpr auto y = conv2d(x, k);
#endif
