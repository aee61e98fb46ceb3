// A convolution of images whose rows are block-cyclic.
// EXPECT: ashlar::conv2d: the axis shards a spatial dimension
#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using grid = mesh<axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto k = make<float, replicated<4>>(m, {3, 3, 3, 2});

#ifdef ASHLAR_CONTROL
constexpr auto y = conv2d(make<float, replicated<4>>(m, {1, 8, 8, 3}), k);
#else
constexpr auto y = conv2d(make<float, layout<none, cyclic("h", 2), none, none>>(m, {1, 8, 8, 3}), k);
#endif
