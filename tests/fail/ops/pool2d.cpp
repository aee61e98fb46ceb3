#include "ashlar/ops/ops.hpp"

using namespace ashlar;
using namespace ashlar::nn;
using grid = mesh<axis<"data">, axis<"model">>;
constexpr grid m{{2, 2}};
using images = layout<none, halo("h", 1), halo("w", 1), none>;

// Windows of pooling that are wider than the halo of the images.
namespace average_pool2d_wider_than_the_halo {
using grid = mesh<axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto x = exchange_halo(make<float, images>(m, {1, 8, 8, 3}));
constexpr auto right = average_pool2d<3, 1, padding::same>(x);
// error: ashlar::nn::pool2d: windows reach beyond the halo; widen the halo of this dimension to half the window's size
constexpr auto wrong = average_pool2d<5, 1, padding::same>(x);
}  // namespace average_pool2d_wider_than_the_halo

// The largest of partial sums is no partial sum; their mean is.
namespace max_pool2d_of_a_partial_sum {
constexpr auto x = make<float, partial<layout<none, none, none, none>, "model">>(m, {8, 6, 6, 4});
constexpr auto right = average_pool2d<2>(x);
// error: ashlar::nn::pool2d: the operand is partial over the axis by a reduction that does not pass through pooling; all_reduce or reduce_scatter it first
constexpr auto wrong = max_pool2d<2>(x);
}  // namespace max_pool2d_of_a_partial_sum

// Pooling of images whose halo was not exchanged.
namespace max_pool2d_on_an_unfilled_halo {
using grid = mesh<axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto x = make<float, images>(m, {1, 8, 8, 3});
constexpr auto right = max_pool2d<2>(exchange_halo(x));
// error: ashlar::nn::pool2d: the halo of the images is not filled; write exchange_halo(images)
constexpr auto wrong = max_pool2d<2>(x);
}  // namespace max_pool2d_on_an_unfilled_halo

// Images without channels.
namespace of_other_rank {
constexpr auto right = max_pool2d<2>(make<float, layout<"data", none, none, none>>(m, {8, 6, 6, 4}));
// error: ashlar::nn::pool2d: images (n, h, w, channels) have four dimensions
constexpr auto wrong = max_pool2d<2>(make<float, layout<"data", none, none>>(m, {8, 6, 6}));
}  // namespace of_other_rank

// Windows that would reach over the pieces of an image.
namespace of_sharded_pixels {
constexpr auto right = max_pool2d<2>(make<float, layout<"data", none, none, none>>(m, {8, 6, 6, 4}));
// error: ashlar::nn::pool2d: the axis shards a spatial dimension, and windows would reach over its shards; all_gather it, or redistribute it to a layout with a halo, as halo("h", 1)
constexpr auto wrong = max_pool2d<2>(make<float, layout<none, none, "data", none>>(m, {8, 6, 6, 4}));
}  // namespace of_sharded_pixels

// Windows without elements.
namespace window_of_zero {
constexpr auto x = make<float, layout<"data", none, none, none>>(m, {8, 6, 6, 4});
constexpr auto right = max_pool2d<2>(x);
// error: ashlar::nn::pool2d: window and stride are 1 or more
constexpr auto wrong = max_pool2d<0, 1>(x);
}  // namespace window_of_zero

// Pooling of images whose corners were not exchanged, and of images with a halo of channels.
namespace without_corners {
using grid = mesh<axis<"h">, axis<"w">>;
constexpr abstract_mesh<grid> m(grid{{2, 2}});
constexpr auto x = make<float, layout<none, halo("h", 1), halo("w", 1), none>>(m, {1, 8, 8, 3});
namespace right {
constexpr auto y = max_pool2d<2>(exchange_halo(x));
constexpr auto z = max_pool2d<2>(exchange_halo(make<float, layout<none, halo("h", 1), none, none>>(m, {1, 8, 8, 4})));
}  // namespace right
namespace wrong {
// error: ashlar::nn::pool2d: windows read corners, which were not exchanged; write exchange_halo(images) without corners::skipped
constexpr auto y = max_pool2d<2>(exchange_halo<corners::skipped>(x));
// error: ashlar::nn::pool2d: the batch or the channels have a halo, which no window reads; give only h and w a halo
constexpr auto z =
    max_pool2d<2>(exchange_halo(make<float, layout<none, halo("h", 1), none, halo("w", 1)>>(m, {1, 8, 8, 4})));
}  // namespace wrong
}  // namespace without_corners
